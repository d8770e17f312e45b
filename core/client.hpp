// The client's side as a state machine: the schedule, each request's attempts, their timeouts and
// retries, and what requests share. No I/O, no clock: the live generator and the simulation drive
// it.
//
// A driver asks next_offer(), next_retry(), next_timeout() when something is due, takes it
// (offer(), retry(), timeout()), makes the attempt it is given, and tells how each attempt ended
// (ended(), not_made()). Attempts are sent and end in the order of their instants. Where a comment
// says "Requires", builds with assertions hold the driver to it.
#pragma once

#include "core/due_queue.hpp"
#include "core/outcome.hpp"
#include "core/policy/arrivals.hpp"
#include "core/policy/backoff.hpp"
#include "core/policy/budget.hpp"
#include "core/policy/retry.hpp"
#include "core/reason.hpp"
#include "core/scenario.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace retrystorm {

// Names an attempt in flight; stale as soon as the attempt has ended.
struct AttemptKey {
  std::uint32_t slot = 0;
  std::uint32_t serial = 0;
  std::uint64_t packed() const { return static_cast<std::uint64_t>(slot) << 32 | serial; }
  static AttemptKey unpack(std::uint64_t v) {
    return {static_cast<std::uint32_t>(v >> 32), static_cast<std::uint32_t>(v)};
  }
};

// An attempt to be made now.
struct Outgoing {
  AttemptKey key;
  std::uint64_t request = 0;
  std::uint32_t attempt = 0;
  std::uint8_t client_class = 0;  // told apart by Clients (clients.hpp)
  Instant scheduled{};            // of its request
  Instant sent{};                 // of this attempt: the `now` it was taken at
};

// The end of a request.
struct Final {
  std::uint64_t request = 0;
  Instant scheduled{};
  RequestOutcome outcome = RequestOutcome::unfinished;
  Reason reason = Reason::none;
  std::uint8_t client_class = 0;
  std::uint32_t user = 0;  // whose it was, in a closed loop
};

// What became of something due: an attempt to make, or the end of the request.
struct Step {
  bool send = false;
  Outgoing attempt;  // if send
  Final final;       // otherwise
};

class Client {
 public:
  // `member`: which of several clients of one scenario, whose draws are independent. `at_cap`: the
  // reason of what finds max_in_flight attempts in flight; a driver that has set it says so.
  Client(const Scenario& scenario, Arrivals arrivals, std::uint64_t member = 0,
         Reason at_cap = Reason::in_flight_limit)
      : arrivals_(std::move(arrivals)),
        retry_policy_(scenario.client),
        backoff_(scenario, member),
        callers_(scenario),
        budget_(scenario, member, callers_.count()),
        timeout_(scenario.client.timeout),
        most_in_flight_(most_in_flight(scenario)),
        at_cap_(at_cap) {}

  // As many attempts in flight as the scenario lets be.
  static std::uint64_t most_in_flight(const Scenario& scenario) {
    return static_cast<std::uint64_t>(
        scenario.client.max_in_flight.value_or(std::numeric_limits<std::int64_t>::max()));
  }
  // A request of a schedule that the driver keeps: it is the next. Requires: no arrivals of its
  // own.
  void give(std::uint64_t request, Instant scheduled, std::uint32_t user) {
    arrivals_.give(request, scheduled, user);
  }
  // What others that share the limit leave of it.
  void limit_in_flight(std::uint64_t most) { most_in_flight_ = most; }

  // When the next request is due; `never` after the last or after stop().
  Instant next_offer() const { return stopped_ ? never : arrivals_.next(); }
  // The class that it is of.
  static constexpr std::uint8_t next_class() { return 0; }
  // When the next retry is due.
  Instant next_retry() const { return retries_.next(); }
  // When the earliest live attempt times out.
  Instant next_timeout() {
    while (!timeouts_.empty() && !live(timeouts_.front().key)) timeouts_.pop();
    return timeouts_.next();
  }

  // What the two above are due for. Requires: they are not `never`.
  AttemptKey first_retry() const { return retries_.front().key; }
  AttemptKey first_timeout() const { return timeouts_.front().key; }

  // Takes the request that is due; its attempt 0 counts as sent at `now`. Requires: next_offer() is
  // not later than now.
  Step offer(Instant now) {
    assert(next_offer() <= now);
    const Instant scheduled = arrivals_.next();
    const std::uint64_t request = arrivals_.index();
    const std::uint32_t user = arrivals_.user();
    arrivals_.pop();
    if (in_flight_ >= most_in_flight_) {
      arrivals_.ended(user, now);
      return {false, {}, {request, scheduled, RequestOutcome::unsent, at_cap_, 0, user}};
    }
    std::uint32_t mark = 0;
    const std::uint32_t caller = callers_.of(request);
    if (const Reason no = budget_.may_send(caller, now, mark); no != Reason::none) {
      arrivals_.ended(user, now);
      return {false, {}, {request, scheduled, RequestOutcome::unsent, no, 0, user}};
    }
    const std::uint32_t slot = take_slot();
    flights_[slot].caller = caller;
    flights_[slot].mark = mark;
    flights_[slot].request = request;
    flights_[slot].user = user;
    flights_[slot].scheduled = scheduled;
    flights_[slot].attempt = 0;
    flights_[slot].deadline = retry_policy_.deadline(now);
    return {true, send(slot, now), {}};
  }

  // Takes the retry that is due. Requires: next_retry() is not later than now.
  Step retry(Instant now) {
    assert(next_retry() <= now);
    const std::uint32_t slot = retries_.front().key.slot;
    retries_.pop();
    Flight& f = flights_[slot];
    if (const Reason no = retry_refusal(f, now); no != Reason::none) {
      budget_.retry_dropped(f.caller);
      return {false, {}, finish(slot, RequestOutcome::gave_up, no, now)};
    }
    ++f.attempt;
    return {true, send(slot, now), {}};
  }

  // Takes the attempt whose timeout is due; the driver abandons it and calls ended(key, timed_out,
  // now). Requires: next_timeout() is not later than now.
  AttemptKey timeout([[maybe_unused]] Instant now) {
    assert(next_timeout() <= now);
    const AttemptKey key = timeouts_.front().key;
    timeouts_.pop();
    return key;
  }

  // True while the attempt is in flight: nothing has ended it yet.
  bool live(AttemptKey key) const {
    const Flight& f = flights_[key.slot];
    return f.serial == key.serial && f.state == State::in_flight;
  }

  // The attempt ended so at `now`: either its request ended too, or a retry is due later (or at
  // once). The first of several reasons against a retry is the one that is told. Requires: it is
  // live, and now is not earlier than any send or end before.
  std::optional<Final> ended(AttemptKey key, AttemptOutcome outcome, Instant now,
                             const AttemptAnswer& answer = {}) {
    assert(live(key) && in_order(now));
    Flight& f = flights_[key.slot];
    --in_flight_;
    budget_.ended(f.caller, now, outcome, f.attempt > 0, f.mark);
    if (outcome == AttemptOutcome::succeeded) {
      return finish(key.slot, RequestOutcome::succeeded, Reason::none, now);
    }
    if (outcome == AttemptOutcome::timed_out && now >= f.deadline) {
      return finish(key.slot, RequestOutcome::gave_up, Reason::client_deadline, now);
    }
    if (const Reason no = retry_policy_.refusal(f.attempt, outcome, answer.status);
        no != Reason::none) {
      return finish(key.slot, RequestOutcome::gave_up, no, now);
    }
    if (stopped_) return finish(key.slot, RequestOutcome::gave_up, Reason::interrupted);
    f.delay = backoff_.before_retry(f.attempt + 1, f.delay);
    const Instant due = now + retry_policy_.delay(f.delay, answer);
    if (due >= f.deadline) {
      return finish(key.slot, RequestOutcome::gave_up, Reason::client_deadline, now);
    }
    if (const Reason no = budget_.may_retry(f.caller, now, outcome, f.mark); no != Reason::none) {
      return finish(key.slot, RequestOutcome::gave_up, no, now);
    }
    f.state = State::waiting;
    retries_.push({due, {key.slot, f.serial}});
    return std::nullopt;
  }

  // The attempt could not be made at all (no port, no descriptor, no memory): it never was.
  // Requires: it is live.
  Final not_made(AttemptKey key, Reason reason) {
    assert(live(key));
    --in_flight_;
    const Flight& f = flights_[key.slot];
    budget_.not_made(f.caller, f.sent, f.attempt > 0, f.mark);
    const RequestOutcome outcome =
        f.attempt == 0 ? RequestOutcome::unsent : RequestOutcome::gave_up;
    return finish(key.slot, outcome, reason, f.sent);
  }

  // Ends sending: nothing more is offered, and each request waiting for a retry gives up, told to
  // sink(Final).
  template <typename Sink>
  void stop(Sink&& sink) {
    stopped_ = true;
    for (; !retries_.empty(); retries_.pop()) {
      sink(finish(retries_.front().key.slot, RequestOutcome::gave_up, Reason::interrupted));
    }
  }

  // The cut: each attempt in flight is told to attempt_sink(Outgoing), each open request to
  // request_sink(Final), as unfinished; nothing is due any more.
  template <typename AttemptSink, typename RequestSink>
  void cut(AttemptSink&& attempt_sink, RequestSink&& request_sink) {
    stopped_ = true;
    for (std::uint32_t slot = 0; slot < flights_.size(); ++slot) {
      if (flights_[slot].state == State::free) continue;
      if (flights_[slot].state == State::in_flight) {
        attempt_sink(describe(slot));
        --in_flight_;
      }
      request_sink(finish(slot, RequestOutcome::unfinished, Reason::none));
    }
    retries_.clear();
    timeouts_.clear();
  }

  // The attempt, described. Requires: it is live.
  Outgoing describe(AttemptKey key) const {
    assert(live(key));
    return describe(key.slot);
  }

  std::uint64_t in_flight() const { return in_flight_; }
  // Requests in flight or waiting for a retry.
  std::uint64_t open_requests() const { return in_flight_ + retries_.size(); }
  const Arrivals& arrivals() const { return arrivals_; }
  bool stopped() const { return stopped_; }

 private:
  enum class State : std::uint8_t { free, in_flight, waiting };
  struct Flight {
    std::uint64_t request = 0;
    Instant scheduled{};
    Instant sent{};
    Instant deadline{};  // of the request
    Duration delay{};    // before its latest retry, as drawn
    std::uint32_t attempt = 0;
    std::uint32_t serial = 0;
    std::uint32_t user = 0;
    std::uint32_t caller = 0;
    std::uint32_t mark = 0;  // the budget's, of its latest attempt
    State state = State::free;
  };
  struct DueAttempt {
    Instant due;
    AttemptKey key;
  };
  // Why a retry that is due is not sent.
  Reason retry_refusal(Flight& f, Instant now) {
    if (in_flight_ >= most_in_flight_) return at_cap_;
    if (now >= f.deadline) return Reason::client_deadline;  // a late driver finds no time left
    return budget_.may_send(f.caller, now, f.mark);
  }

  // For assertions only, which is why it may note the instant.
  bool in_order(Instant now) {
    const bool ok = now >= latest_;
    latest_ = now;
    return ok;
  }

  std::uint32_t take_slot() {
    if (free_.empty()) {
      flights_.emplace_back();
      return static_cast<std::uint32_t>(flights_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }

  Outgoing send(std::uint32_t slot, Instant now) {
    assert(in_order(now));
    Flight& f = flights_[slot];
    f.state = State::in_flight;
    f.sent = now;
    ++f.serial;
    ++in_flight_;
    budget_.sent(f.caller, now, f.attempt > 0);
    timeouts_.push({std::min(now + timeout_, f.deadline), {slot, f.serial}});
    return describe(slot);
  }

  Outgoing describe(std::uint32_t slot) const {
    const Flight& f = flights_[slot];
    return {{slot, f.serial}, f.request, f.attempt, 0, f.scheduled, f.sent};
  }

  Final finish(std::uint32_t slot, RequestOutcome outcome, Reason reason) {
    Flight& f = flights_[slot];
    f.state = State::free;
    ++f.serial;
    free_.push_back(slot);
    return {f.request, f.scheduled, outcome, reason, 0, f.user};
  }
  // While the run goes on: whoever sent it goes on, too.
  Final finish(std::uint32_t slot, RequestOutcome outcome, Reason reason, Instant now) {
    arrivals_.ended(flights_[slot].user, now);
    return finish(slot, outcome, reason);
  }

  Arrivals arrivals_;
  RetryPolicy retry_policy_;
  Backoff backoff_;
  Callers callers_;
  BudgetAccounts budget_;
  Duration timeout_;
  std::uint64_t most_in_flight_;
  Reason at_cap_;
  bool stopped_ = false;
  std::uint64_t in_flight_ = 0;
  Instant latest_ = Instant::min();  // kept by assertions
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_;  // last in, first out: warm memory
  DueQueue<DueAttempt> retries_;
  DueQueue<DueAttempt> timeouts_;
};

}  // namespace retrystorm
