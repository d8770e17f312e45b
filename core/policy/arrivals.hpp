// When requests are offered: even or Poisson, at one rate or in stages, as recorded, or a given
// list (replay, tests), whatever happened before; or by the users of a closed loop, who wait for
// what they asked.
#pragma once

#include "core/policy/staged_arrivals.hpp"
#include "core/policy/users.hpp"
#include "core/random.hpp"
#include "core/scenario.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace retrystorm {

// The schedule of one generator thread: requests share.first, share.first + share.step, ... of the
// whole.
class Arrivals {
 public:
  struct Share {
    std::uint64_t first = 0;
    std::uint64_t step = 1;
  };

  // The scenario's schedule. Even: request i at floor(i x 1e9 / rate) ns in [0, duration), or in
  // (0, duration] from i = 1 with first_arrival = gap. Poisson: exponential gaps from the
  // scenario's seed. In stages and of users: as StagedArrivals and UserLoop say. Recorded: its
  // instants; throws InvalidInput if they have not been read.
  explicit Arrivals(const Scenario& scenario);
  Arrivals(const Scenario& scenario, Share share);
  // A given list, not decreasing.
  explicit Arrivals(std::vector<Instant> list);

  // When the next request is due; `never` after the last.
  Instant next() const { return next_; }
  // Its number in the whole schedule, from 0.
  std::uint64_t index() const { return index_; }
  void pop();
  // Whose it is, in a closed loop; 0 otherwise.
  std::uint32_t user() const { return user_; }
  // That user's request has ended, and it goes on; nothing in an open loop.
  void ended(std::uint32_t user, Instant now) {
    if (kind_ == Kind::users) [[unlikely]]
      ended_in_loop(user, now);
  }
  // To an empty list: one request of a schedule that is kept elsewhere. After it there is none.
  void give(std::uint64_t index, Instant at, std::uint32_t user) {
    index_ = index;
    next_ = at;
    user_ = user;
  }

  // How many are left, this one included; nothing if a Poisson schedule is too long to draw (over
  // 50 million), or if it depends on what becomes of them.
  std::optional<std::uint64_t> remaining() const;

 private:
  enum class Kind : std::uint8_t { even, poisson, list, staged_even, staged_poisson, users };

  static Kind kind_of(const ClientSettings& client);
  Instant listed() const;
  Instant even_instant(std::uint64_t i) const;
  void draw_gap();
  void ended_in_loop(std::uint32_t user, Instant now);
  void set_next(Instant candidate);
  std::optional<std::uint64_t> remaining_drawn(double expected) const;

  Kind kind_;
  bool gap_first_ = false;
  Share share_;
  double rate_ = 0;
  std::uint64_t whole_rate_ =
      0;           // the rate, if it is a whole number: then instants are exact integers
  Instant end_{};  // of the schedule
  Instant next_{};
  std::uint64_t index_ = 0;
  std::uint32_t user_ = 0;
  double poisson_now_ = 0;  // ns
  Random random_;
  std::shared_ptr<const RecordedInstants> list_;
  StagedArrivals staged_;
  UserLoop users_;
};

// True for fields that say the same in two ways (a rate and a duration, stages, or a recording):
// one source sets one of them, and in another source each replaces the other.
bool replace_each_other(std::string_view path, std::string_view other);

// The fields of this policy.
void declare_arrivals(FieldList& list);

}  // namespace retrystorm
