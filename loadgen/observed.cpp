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
  settled.offered += other.settled.offered;
  settled.attempts += other.settled.attempts;
  settled.succeeded += other.settled.succeeded;
  request.merge(other.request);
  attempt.merge(other.attempt);
  all.merge(other.all);
  lag.merge(other.lag);
  connect_call.merge(other.connect_call);
  slow_connects += other.slow_connects;
  most_in_flight += other.most_in_flight;  // an upper bound: the threads peak apart
  last_outcome = std::max(last_outcome, other.last_outcome);
}

void Recorder::offered(Instant scheduled) {
  ++seen_.offered;
  live_.offered.add();
  if (settled(scheduled)) ++seen_.settled.offered;
}

void Recorder::sent(const Outgoing& attempt) {
  ++seen_.attempts;
  live_.attempts.add();
  if (settled(attempt.sent)) ++seen_.settled.attempts;
  if (attempt.attempt != 0) return;
  const Duration lag = attempt.sent - attempt.scheduled;
  seen_.lag.record(lag);
  live_.send_lag.add(live_.lag_bounds, lag);
  if (lag > late_from) ++seen_.late;
}

void Recorder::connect_called(Duration took) {
  seen_.connect_call.record(took);
  if (took > slow_connect_from) ++seen_.slow_connects;
}

void Recorder::late_read() {
  ++seen_.late_read;
  live_.late_read.add();
}

void Recorder::ended(const Outgoing& attempt, const AttemptEnd& end, Instant now) {
  const auto outcome = static_cast<std::size_t>(end.outcome);
  ++seen_.attempt_outcomes[outcome];
  live_.ended[LiveCounts::label_of(attempt.attempt)][outcome].add();
  if (end.outcome == AttemptOutcome::io_error) {
    ++seen_.io_errors[static_cast<std::size_t>(end.reason)];
  }
  if (end.outcome == AttemptOutcome::succeeded) {
    seen_.attempt.record(now - attempt.sent);
    live_.attempt_latency.add(live_.latency_bounds, now - attempt.sent);
  }
  if (end.outcome != AttemptOutcome::unfinished) {
    seen_.last_outcome = std::max(seen_.last_outcome, now);
  }
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
  files_.attempts->add(record);
}

void Recorder::ended(const Final& final, Instant now) {
  const auto outcome = static_cast<std::size_t>(final.outcome);
  ++seen_.request_outcomes[outcome];
  live_.requests[outcome].add();
  const Duration latency = now - final.scheduled;
  const auto reason = static_cast<std::size_t>(final.reason);
  switch (final.outcome) {
    case RequestOutcome::succeeded:
      seen_.request.record(latency);
      live_.request_latency.add(live_.latency_bounds, latency);
      if (settled(now)) ++seen_.settled.succeeded;
      break;
    case RequestOutcome::gave_up:
      ++seen_.gave_up[reason];
      break;
    case RequestOutcome::unsent:
      ++seen_.unsent[reason];
      live_.unsent[static_cast<std::size_t>(unsent_kind(final.reason))].add();
      break;
    case RequestOutcome::unfinished:
      break;
  }
  if (final.outcome != RequestOutcome::unfinished) {
    seen_.all.record(latency);
    seen_.last_outcome = std::max(seen_.last_outcome, now);
  }
  if (files_.requests == nullptr) return;
  RequestRecord record{};
  record.request = final.request;
  record.scheduled = on_clock(final.scheduled);
  record.finished = on_clock(now);
  record.outcome = final.outcome;
  record.reason = final.reason;
  files_.requests->add(record);
}

void Recorder::in_flight(std::uint64_t now) {
  seen_.most_in_flight = std::max(seen_.most_in_flight, now);
}

}  // namespace retrystorm::loadgen
