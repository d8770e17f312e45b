// The world between the two machines: how long attempts and replies travel, and how late the
// client's loop wakes. Exact: constant delays, nobody is late. Noisy: seeded
// noise of a size measured in a run, because even arrivals, fixed work and immediate retries put
// many events on one instant, and no real machine decides such ties as the rule does.
#pragma once

#include "core/random.hpp"
#include "core/units.hpp"

#include <algorithm>

#include <boost/random/exponential_distribution.hpp>

namespace retrystorm {

// Sizes of the noise: `wake` and `path` are means of exponential distributions, the others
// constants.
struct Noise {
  Duration wake{};       // from when the client's loop should wake to when it does
  Duration path{};       // each way, beyond half the round trip
  Duration send_cost{};  // sends of one turn of the loop leave this far apart
  Duration connect{};    // what an attempt on a new connection takes longer to reach the service
};

class ExactWorld {
 public:
  explicit ExactWorld(Duration round_trip) : one_way_(round_trip / 2) {}

  // When something that leaves the client or the service at `now` reaches the other side.
  Instant to_service(Instant now) { return now + one_way_; }
  Instant to_client(Instant now) { return now + one_way_; }
  // The client's loop has nothing to do before `due`.
  void sleeps_until(Instant /*due*/) {}
  // When it acts on what is due at `due`; `now` is the latest event.
  Instant acts_at(Instant due, Instant /*now*/) { return due; }
  // The client's loop is awake at `now`.
  void awake(Instant) {}
  // A reply was taken in time: its connection is kept for a later attempt.
  void connection_kept() {}

 private:
  Duration one_way_;
};

class NoisyWorld {
 public:
  NoisyWorld(Duration round_trip, const Noise& noise, std::uint64_t seed)
      : one_way_(round_trip / 2), noise_(noise), random_(seed, Stream::noise) {}

  Instant to_service(Instant now) {
    // One loop, one send after the other.
    busy_until_ = std::max(busy_until_, now) + noise_.send_cost;
    return busy_until_ + one_way_ + take_connection() + draw(noise_.path);
  }
  Instant to_client(Instant now) { return now + one_way_ + draw(noise_.path); }

  // A loop that sleeps wakes late, and then acts on everything that has become due meanwhile:
  // lateness comes in turns, not for each event of its own.
  void sleeps_until(Instant due) {
    if (due <= awake_at_ || due == sleeps_until_ || due == never) return;
    sleeps_until_ = due;
    wakes_at_ = due + draw(noise_.wake);
  }
  // Never before what has happened.
  Instant acts_at(Instant due, Instant now) const {
    if (due == never) return never;
    return due <= awake_at_ ? now : std::max({due, wakes_at_, now});
  }
  void awake(Instant now) { awake_at_ = std::max(awake_at_, now); }
  void connection_kept() { ++kept_; }

 private:
  // Every admitted attempt that times out costs the client its connection. So it is the attempt
  // after an admission that travels on a new one and comes late: a place that falls free just then
  // goes to somebody else, or to nobody.
  Duration take_connection() {
    if (kept_ == 0) return noise_.connect;
    --kept_;
    return Duration::zero();
  }
  Duration draw(Duration mean) {
    return Duration(
        static_cast<std::int64_t>(exponential_(random_) * static_cast<double>(mean.count())));
  }

  Duration one_way_;
  Noise noise_;
  Random random_;
  boost::random::exponential_distribution<double> exponential_{1.0};
  Instant busy_until_{};
  Instant awake_at_ = instant_at(-1);
  Instant sleeps_until_ = instant_at(-1);
  Instant wakes_at_{};
  std::uint64_t kept_ = 0;  // idle kept connections
};

}  // namespace retrystorm
