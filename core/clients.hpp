// The clients of a scenario with several classes: one Client a class, and one schedule whose
// requests go to them. To a driver it is one Client (client.hpp says what it asks and tells), whose
// attempts and ends name their class. What is due at one instant comes in the order in which it was
// scheduled, whosever it is: classes that are alike act as one.
#pragma once

#include "core/classes.hpp"
#include "core/client.hpp"
#include "core/policy/class_order.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace retrystorm {

// The class of an attempt among so many: it is in the key, which all of its events carry.
inline std::uint8_t class_of(AttemptKey key, std::size_t classes) {
  return static_cast<std::uint8_t>(key.slot % classes);
}

class Clients {
 public:
  // `share` is that of the arrivals; its first is the member of class 0; `at_cap` as there
  // (client.hpp).
  Clients(const Scenario& scenario, Arrivals arrivals, Arrivals::Share share = {},
          Reason at_cap = Reason::in_flight_limit)
      : arrivals_(std::move(arrivals)),
        order_(scenario, share),
        most_in_flight_(Client::most_in_flight(scenario)) {
    for (std::size_t c = 0; c < class_count(scenario); ++c) {
      clients_.emplace_back(scenario_of_class(scenario, c), Arrivals(std::vector<Instant>()),
                            share.first + share.step * c, at_cap);
    }
  }

  Instant next_offer() const { return stopped_ ? never : arrivals_.next(); }
  // Whose it is.
  std::uint8_t next_class() const { return order_.next(); }
  Instant next_retry() const {
    Instant next = never;
    for (const Client& client : clients_) next = std::min(next, client.next_retry());
    return next;
  }
  Instant next_timeout() {
    Instant next = never;
    for (Client& client : clients_) next = std::min(next, client.next_timeout());
    return next;
  }

  Step offer(Instant now) {
    assert(next_offer() <= now);
    const Instant scheduled = arrivals_.next();
    const std::uint64_t request = arrivals_.index();
    const std::uint32_t user = arrivals_.user();
    const std::size_t c = order_.next();
    arrivals_.pop();
    order_.pop();
    clients_[c].give(request, scheduled, user);
    return told(c, with_room(c).offer(now), now);
  }

  Step retry(Instant now) {
    const std::size_t c = first_of([](const Client& client) { return client.next_retry(); },
                                   [](const Client& client) { return client.first_retry(); });
    return told(c, with_room(c).retry(now), now);
  }

  AttemptKey timeout(Instant now) {
    const std::size_t c = first_of([](Client& client) { return client.next_timeout(); },
                                   [](const Client& client) { return client.first_timeout(); });
    return global(c, clients_[c].timeout(now));
  }

  bool live(AttemptKey key) const { return clients_[class_of(key)].live(local(key)); }

  std::optional<Final> ended(AttemptKey key, AttemptOutcome outcome, Instant now,
                             const AttemptAnswer& answer = {}) {
    std::optional<Final> final = clients_[class_of(key)].ended(local(key), outcome, now, answer);
    if (!final) {
      note_order(key);  // of its retry
    } else {
      final->client_class = class_of(key);
      arrivals_.ended(final->user, now);
    }
    return final;
  }

  Final not_made(AttemptKey key, Reason reason) {
    const Instant sent = describe(key).sent;
    const Final final = clients_[class_of(key)].not_made(local(key), reason);
    arrivals_.ended(final.user, sent);
    return of_class(class_of(key), final);
  }

  template <typename Sink>
  void stop(Sink&& sink) {
    stopped_ = true;
    for (std::size_t c = 0; c < clients_.size(); ++c) {
      clients_[c].stop([&](const Final& final) { sink(of_class(c, final)); });
    }
  }

  template <typename AttemptSink, typename RequestSink>
  void cut(AttemptSink&& attempt_sink, RequestSink&& request_sink) {
    stopped_ = true;
    for (std::size_t c = 0; c < clients_.size(); ++c) {
      clients_[c].cut([&](const Outgoing& attempt) { attempt_sink(of_class(c, attempt)); },
                      [&](const Final& final) { request_sink(of_class(c, final)); });
    }
  }

  Outgoing describe(AttemptKey key) const {
    const std::size_t c = class_of(key);
    return of_class(c, clients_[c].describe(local(key)));
  }

  std::uint64_t in_flight() const {
    std::uint64_t sum = 0;
    for (const Client& client : clients_) sum += client.in_flight();
    return sum;
  }
  std::uint64_t open_requests() const {
    std::uint64_t sum = 0;
    for (const Client& client : clients_) sum += client.open_requests();
    return sum;
  }
  const Arrivals& arrivals() const { return arrivals_; }
  bool stopped() const { return stopped_; }

  std::uint8_t class_of(AttemptKey key) const { return retrystorm::class_of(key, clients_.size()); }

 private:
  // Slots of the classes alternate, so that a key says whose it is.
  AttemptKey global(std::size_t c, AttemptKey key) const {
    return {static_cast<std::uint32_t>(key.slot * clients_.size() + c), key.serial};
  }
  AttemptKey local(AttemptKey key) const {
    return {static_cast<std::uint32_t>(key.slot / clients_.size()), key.serial};
  }

  static Final of_class(std::size_t c, Final final) {
    final.client_class = static_cast<std::uint8_t>(c);
    return final;
  }
  Outgoing of_class(std::size_t c, Outgoing attempt) const {
    attempt.key = global(c, attempt.key);
    attempt.client_class = static_cast<std::uint8_t>(c);
    return attempt;
  }
  Step told(std::size_t c, Step step, Instant now) {
    if (step.send) {
      step.attempt = of_class(c, step.attempt);
      note_order(step.attempt.key);  // of its timeout
    } else {
      step.final = of_class(c, step.final);
      arrivals_.ended(step.final.user, now);
    }
    return step;
  }

  // The limit is for all classes together: what the others leave of it.
  Client& with_room(std::size_t c) {
    Client& client = clients_[c];
    client.limit_in_flight(most_in_flight_ - (in_flight() - client.in_flight()));
    return client;
  }

  // The last thing scheduled for the slot.
  void note_order(AttemptKey key) {
    if (key.slot >= scheduled_.size()) scheduled_.resize(key.slot + clients_.size());
    scheduled_[key.slot] = ++scheduled_so_far_;
  }

  // The class with what is due first, on ties what was scheduled first; `first` names it in a
  // client that has any.
  template <typename Due, typename First>
  std::size_t first_of(Due due, First first) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < clients_.size(); ++c) {
      const Instant at = due(clients_[c]);
      const Instant earliest = due(clients_[best]);
      if (at == never || at > earliest) continue;
      if (at < earliest || scheduled_[global(c, first(clients_[c])).slot] <
                               scheduled_[global(best, first(clients_[best])).slot]) {
        best = c;
      }
    }
    return best;
  }

  Arrivals arrivals_;
  ClassOrder order_;
  std::uint64_t most_in_flight_;
  bool stopped_ = false;
  std::vector<Client> clients_;
  std::vector<std::uint64_t> scheduled_;  // by slot: which in the order of all classes
  std::uint64_t scheduled_so_far_ = 0;
};

}  // namespace retrystorm
