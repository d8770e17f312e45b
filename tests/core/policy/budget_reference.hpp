// The budgets once more, as slowly and plainly as can be: each question is answered from the whole
// history of what happened, by the definition, with nothing kept in between. For tests only.
#pragma once

#include "core/outcome.hpp"
#include "core/policy/budgets.hpp"
#include "core/random.hpp"
#include "core/reason.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace retrystorm {

struct SpendingEvent {
  enum class What { kept_back, sent, not_made, ended, retry_allowed, retry_dropped };
  What what{};
  Instant at{};
  std::uint64_t attempt = 0;  // a name of its own for each; of a retry allowed: the failed one's
  bool retry = false;
  AttemptOutcome outcome = AttemptOutcome::unfinished;
};
using SpendingHistory = std::vector<SpendingEvent>;

// Those of the events that are of a kind, and of a window of ten slices at `now`.
template <typename Is>
inline std::int64_t events_of(const SpendingHistory& history, Is is) {
  return std::count_if(history.begin(), history.end(), is);
}
inline bool in_window(Instant at, Instant now, Duration window) {
  const std::int64_t slice = window.count() / 10;
  return nanoseconds_of(at) / slice > nanoseconds_of(now) / slice - 10;
}

// Whether a retry may be made, after an end that is the last of the history.
inline bool reference_may_retry(const TokenBucket& b, const SpendingHistory& history,
                                AttemptOutcome) {
  double held = b.tokens;  // exact for sums of binary fractions
  for (const SpendingEvent& e : history) {
    const bool deposit =
        b.deposit_on == DepositOn::request
            ? e.what == SpendingEvent::What::sent && !e.retry
            : e.what == SpendingEvent::What::ended && e.outcome == AttemptOutcome::succeeded;
    if (deposit) held = std::min(b.tokens, held + b.deposit);
    if (e.what == SpendingEvent::What::retry_allowed) held -= 1;
  }
  return held >= 1 && held > b.keep;
}

inline bool reference_may_retry(const RetryRatio& b, const SpendingHistory& history,
                                AttemptOutcome) {
  const Instant now = history.back().at;
  const auto requests = events_of(history, [&](const SpendingEvent& e) {
    return e.what == SpendingEvent::What::sent && !e.retry && in_window(e.at, now, b.window);
  });
  const auto retries = events_of(history, [&](const SpendingEvent& e) {
    return e.what == SpendingEvent::What::retry_allowed && in_window(e.at, now, b.window);
  });
  return static_cast<double>(retries + 1) <=
         b.ratio * static_cast<double>(requests) + b.floor * seconds(b.window);
}

inline bool reference_may_retry(const ConcurrentShare& b, const SpendingHistory& history,
                                AttemptOutcome) {
  using What = SpendingEvent::What;
  const auto count = [&](What what, bool retries_only) {
    return events_of(history, [&](const SpendingEvent& e) {
      return e.what == what && (e.retry || !retries_only);
    });
  };
  const auto gone = [&](bool r) { return count(What::ended, r) + count(What::not_made, r); };
  const auto in_flight = count(What::sent, false) - gone(false);
  const auto retrying = count(What::sent, true) - gone(true);
  const auto waiting = count(What::retry_allowed, false) - count(What::sent, true) -
                       count(What::retry_dropped, false);
  const auto part =
      static_cast<std::int64_t>(std::floor(b.share * static_cast<double>(in_flight + waiting)));
  return retrying + waiting + 1 <= std::max(b.least, part);
}

inline bool reference_may_retry(const RetryQuota& b, const SpendingHistory& history,
                                AttemptOutcome outcome) {
  const auto price = [&](AttemptOutcome o) {
    if (o == AttemptOutcome::timed_out) return b.cost_timed_out;
    return o == AttemptOutcome::rejected ? b.cost_rejected : b.cost;
  };
  std::int64_t left = b.quota;
  std::map<std::uint64_t, std::int64_t> paid;  // by the attempt that is the retry: the next name
  for (const SpendingEvent& e : history) {
    if (e.what == SpendingEvent::What::retry_allowed) {
      left -= price(e.outcome);
      paid[e.attempt + 1] = price(e.outcome);
    } else if (e.what == SpendingEvent::What::ended && e.outcome == AttemptOutcome::succeeded) {
      left = std::min(b.quota, left + (e.retry ? paid.at(e.attempt) : b.refund));
    }
  }
  return left >= price(outcome);
}

inline bool reference_may_retry(const RetryBreaker& b, const SpendingHistory& history,
                                AttemptOutcome) {
  const auto first = events_of(history, [](const SpendingEvent& e) {
    return e.what == SpendingEvent::What::sent && !e.retry;
  });
  const auto failed = events_of(history, [](const SpendingEvent& e) {
    return e.what == SpendingEvent::What::ended && !e.retry &&
           e.outcome != AttemptOutcome::succeeded;
  });
  return static_cast<double>(failed) <= b.ratio * static_cast<double>(first);
}

template <typename Kind>
bool reference_may_retry(const Kind&, const SpendingHistory&, AttemptOutcome) {
  return true;
}

// Whether an attempt may be sent at `now`.
inline bool reference_may_send(const AdaptiveThrottle& b, const SpendingHistory& history,
                               Instant now, Random& random) {
  const auto requests = events_of(history, [&](const SpendingEvent& e) {
    const bool asked =
        e.what == SpendingEvent::What::sent || e.what == SpendingEvent::What::kept_back;
    return asked && in_window(e.at, now, b.window);
  });
  const auto accepts = events_of(history, [&](const SpendingEvent& e) {
    const bool answered =
        e.outcome == AttemptOutcome::succeeded || e.outcome == AttemptOutcome::failed_status;
    return e.what == SpendingEvent::What::ended && answered && in_window(e.at, now, b.window);
  });
  const double p = (static_cast<double>(requests) - b.k * static_cast<double>(accepts)) /
                   static_cast<double>(requests + 1);
  return p <= 0 || random.uniform() >= p;
}

inline bool reference_may_send(const CircuitBreaker& b, const SpendingHistory& history, Instant now,
                               Random&) {
  using What = SpendingEvent::What;
  struct Call {
    Instant at;
    bool failed;
  };
  enum class Phase { closed, open, half_open } phase = Phase::closed;
  std::vector<std::uint64_t> sent_in_phase;  // names
  std::vector<Call> calls;
  std::int64_t trials = 0, well = 0;
  Instant opened{};
  const auto go = [&](Phase to) {
    phase = to;
    sent_in_phase.clear();
    calls.clear();
    trials = well = 0;
  };
  const auto wants_to_send = [&](Instant at) {
    if (phase == Phase::open && at >= opened + b.open_for) go(Phase::half_open);
  };
  for (const SpendingEvent& e : history) {
    if (e.what == What::sent || e.what == What::kept_back) wants_to_send(e.at);
    if (e.what == What::sent) {
      sent_in_phase.push_back(e.attempt);
      ++trials;
    }
    const bool ours =
        std::find(sent_in_phase.begin(), sent_in_phase.end(), e.attempt) != sent_in_phase.end();
    if (e.what == What::not_made && ours) --trials;
    if (e.what != What::ended || !ours) continue;
    const bool failed = e.outcome != AttemptOutcome::succeeded;
    if (phase == Phase::half_open) {
      if (failed) {
        go(Phase::open);
        opened = e.at;
      } else if (++well == b.trials) {
        go(Phase::closed);
      }
      continue;
    }
    calls.push_back({e.at, failed});
    std::int64_t all = 0, bad = 0;
    for (const Call& call : calls) {
      if (!in_window(call.at, e.at, b.window)) continue;
      ++all;
      if (call.failed) ++bad;
    }
    if (failed && all >= b.calls &&
        static_cast<double>(bad) >= b.ratio * static_cast<double>(all)) {
      go(Phase::open);
      opened = e.at;
    }
  }
  wants_to_send(now);
  return phase == Phase::closed || (phase == Phase::half_open && trials < b.trials);
}

template <typename Kind>
bool reference_may_send(const Kind&, const SpendingHistory&, Instant, Random&) {
  return true;
}

}  // namespace retrystorm
