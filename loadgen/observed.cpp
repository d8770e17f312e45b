#include "loadgen/observed.hpp"

#include <algorithm>

namespace retrystorm::loadgen {
namespace {

template <typename Array>
void add_to(Array& into, const Array& more) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] += more[i];
}

}  // namespace

void Observed::merge(const Observed& other) {
  offered += other.offered;
  attempts += other.attempts;
  late += other.late;
  late_read += other.late_read;
  add_to(attempt_outcomes, other.attempt_outcomes);
  add_to(request_outcomes, other.request_outcomes);
  add_to(gave_up, other.gave_up);
  add_to(unsent, other.unsent);
  add_to(io_errors, other.io_errors);
  add_to(connect_errors, other.connect_errors);
  add_to(statuses, other.statuses);
  if (windows.size() < other.windows.size()) windows.resize(other.windows.size());
  for (std::size_t i = 0; i < other.windows.size(); ++i) {
    windows[i].offered += other.windows[i].offered;
    windows[i].attempts += other.windows[i].attempts;
    windows[i].succeeded += other.windows[i].succeeded;
    windows[i].open_ns += other.windows[i].open_ns;
  }
  stages.merge(other.stages);
  request.merge(other.request);
  attempt.merge(other.attempt);
  all.merge(other.all);
  lag.merge(other.lag);
  connect_call.merge(other.connect_call);
  slow_connects += other.slow_connects;
  most_in_flight += other.most_in_flight;  // an upper bound: the threads peak apart
  last_outcome = std::max(last_outcome, other.last_outcome);
}

Windows booked_windows(const Scenario& scenario) {
  Windows windows = windows_of(scenario);
  const auto together =
      static_cast<std::int64_t>((windows.count + most_windows - 1) / most_windows);
  if (together > 1) {
    windows.length *= together;
    windows.count /= static_cast<std::size_t>(together);
  }
  return windows;
}

void Recorder::open(Observed& seen, Instant from, Instant to) const {
  const auto count = static_cast<std::int64_t>(seen.windows.size());
  const std::int64_t end = std::min(nanoseconds_of(to), window_ * count);
  for (std::int64_t at = nanoseconds_of(from); at < end;) {
    const std::int64_t index = at / window_;
    const std::int64_t until = std::min(end, (index + 1) * window_);
    seen.windows[static_cast<std::size_t>(index)].open_ns += until - at;
    at = until;
  }
}

void Recorder::offered(Instant scheduled, std::uint8_t client_class) {
  count_live(client_class, [](LiveCounts& live) { live.offered.add(); });
  count(client_class, [&](Observed& seen) {
    ++seen.offered;
    in_window(seen, scheduled, [](WindowCounts& window) { ++window.offered; });
    seen.stages.count(StageCounts::Event::offered, scheduled);
  });
}

void Recorder::sent(const Outgoing& attempt) {
  const Duration lag = attempt.sent - attempt.scheduled;
  const bool first = attempt.attempt == 0;
  count_live(attempt.client_class, [&](LiveCounts& live) {
    live.attempts.add();
    if (first) live.send_lag.add(live.lag_bounds, lag);
  });
  count(attempt.client_class, [&](Observed& seen) {
    ++seen.attempts;
    in_window(seen, attempt.sent, [](WindowCounts& window) { ++window.attempts; });
    seen.stages.count(StageCounts::Event::attempted, attempt.sent);
    if (!first) return;
    seen.lag.record(lag);
    if (lag > late_) ++seen.late;
  });
}

void Recorder::connect_called(Duration took) {
  seen_.connect_call.record(took);
  if (took > slow_connect_from) ++seen_.slow_connects;
}

void Recorder::late_read(const Outgoing& attempt) {
  count_live(attempt.client_class, [](LiveCounts& live) { live.late_read.add(); });
  count(attempt.client_class, [](Observed& seen) { ++seen.late_read; });
}

void Recorder::ended(const Outgoing& attempt, const AttemptEnd& end, Instant now) {
  const auto outcome = static_cast<std::size_t>(end.outcome);
  count_live(attempt.client_class, [&](LiveCounts& live) {
    live.ended[LiveCounts::label_of(attempt.attempt)][outcome].add();
    if (end.outcome == AttemptOutcome::succeeded) {
      live.attempt_latency.add(live.latency_bounds, now - attempt.sent);
    }
  });
  count(attempt.client_class, [&](Observed& seen) {
    ++seen.attempt_outcomes[outcome];
    if (end.outcome == AttemptOutcome::io_error) {
      ++seen.io_errors[static_cast<std::size_t>(end.reason)];
    } else if (end.outcome == AttemptOutcome::connect_error) {
      ++seen.connect_errors[static_cast<std::size_t>(end.reason)];
    }
    if (end.status != 0) ++seen.statuses[end.status];
    if (end.outcome == AttemptOutcome::succeeded) seen.attempt.record(now - attempt.sent);
    if (end.outcome != AttemptOutcome::unfinished) {
      seen.last_outcome = std::max(seen.last_outcome, now);
    }
  });
  if (files_.attempts == nullptr) return;
  AttemptRecord record{};
  record.request = attempt.request;
  record.sent = on_clock(attempt.sent);
  record.ended = on_clock(now);
  record.attempt = attempt.attempt;
  record.status = end.status;
  record.outcome = end.outcome;
  record.reason = end.reason;
  record.reused = end.reused ? 1 : 0;
  record.client_class = attempt.client_class;
  files_.attempts->add(record);
}

void Recorder::ended(const Final& final, Instant now) {
  const auto outcome = static_cast<std::size_t>(final.outcome);
  const Duration latency = now - final.scheduled;
  count_live(final.client_class, [&](LiveCounts& live) {
    live.requests[outcome].add();
    if (final.outcome == RequestOutcome::succeeded) {
      live.request_latency.add(live.latency_bounds, latency);
    }
    if (final.outcome == RequestOutcome::unsent) {
      live.unsent[static_cast<std::size_t>(unsent_kind(final.reason))].add();
    }
  });
  const auto reason = static_cast<std::size_t>(final.reason);
  count(final.client_class, [&](Observed& seen) {
    ++seen.request_outcomes[outcome];
    // What the cut leaves open stays so to the end.
    open(seen, final.scheduled, final.outcome == RequestOutcome::unfinished ? never : now);
    switch (final.outcome) {
      case RequestOutcome::succeeded:
        seen.request.record(latency);
        in_window(seen, now, [](WindowCounts& window) { ++window.succeeded; });
        seen.stages.count(StageCounts::Event::succeeded, now);
        break;
      case RequestOutcome::gave_up:
        ++seen.gave_up[reason];
        break;
      case RequestOutcome::unsent:
        ++seen.unsent[reason];
        break;
      case RequestOutcome::unfinished:
        return;
    }
    seen.all.record(latency);
    seen.last_outcome = std::max(seen.last_outcome, now);
  });
  if (files_.requests == nullptr) return;
  RequestRecord record{};
  record.request = final.request;
  record.scheduled = on_clock(final.scheduled);
  record.finished = on_clock(now);
  record.outcome = final.outcome;
  record.reason = final.reason;
  record.client_class = final.client_class;
  files_.requests->add(record);
}

void Recorder::in_flight(std::uint64_t now) {
  seen_.most_in_flight = std::max(seen_.most_in_flight, now);
}

}  // namespace retrystorm::loadgen
