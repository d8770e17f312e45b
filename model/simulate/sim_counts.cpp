#include "model/simulate/sim_counts.hpp"

#include <algorithm>
#include <iterator>

namespace retrystorm {

void SimCounts::merge(const SimCounts& other) {
  constexpr std::uint64_t SimCounts::*counts[] = {&SimCounts::offered_,
                                                  &SimCounts::attempts_,
                                                  &SimCounts::arrived_,
                                                  &SimCounts::completed_,
                                                  &SimCounts::refused_,
                                                  &SimCounts::taken_,
                                                  &SimCounts::abandoned_,
                                                  &SimCounts::abandoned_seen_,
                                                  &SimCounts::seen_later_,
                                                  &SimCounts::cut_,
                                                  &SimCounts::unfinished_arrivals_,
                                                  &SimCounts::settled_offered_,
                                                  &SimCounts::settled_attempts_,
                                                  &SimCounts::settled_succeeded_,
                                                  &SimCounts::settled_completed_,
                                                  &SimCounts::settled_abandoned_};
  for (const auto count : counts) this->*count += other.*count;
  for (std::size_t i = 0; i < std::size(by_outcome_); ++i) by_outcome_[i] += other.by_outcome_[i];
  for (std::size_t i = 0; i < std::size(by_request_outcome_); ++i) {
    by_request_outcome_[i] += other.by_request_outcome_[i];
  }
  stages_.merge(other.stages_);
  request_latency_.merge(other.request_latency_);
  attempt_latency_.merge(other.attempt_latency_);
  all_latency_.merge(other.all_latency_);
  last_ = std::max(last_, other.last_);
}

Tally SimCounts::tally(Instant last) const {
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  const auto attempts = [&](AttemptOutcome o) {
    return number(by_outcome_[static_cast<std::size_t>(o)]);
  };
  const auto requests = [&](RequestOutcome o) {
    return number(by_request_outcome_[static_cast<std::size_t>(o)]);
  };
  Tally t;
  t.engine = "simulate";
  Counts& c = t.counts;
  c.offered = number(offered_);
  c.succeeded = requests(RequestOutcome::succeeded);
  c.gave_up = requests(RequestOutcome::gave_up);
  c.unsent = requests(RequestOutcome::unsent);
  c.unfinished_requests = requests(RequestOutcome::unfinished);
  c.attempts = number(attempts_);
  c.rejected = attempts(AttemptOutcome::rejected);
  c.timed_out = attempts(AttemptOutcome::timed_out);
  c.failed_status = attempts(AttemptOutcome::failed_status);
  c.connect_error = attempts(AttemptOutcome::connect_error);
  c.io_error = attempts(AttemptOutcome::io_error);
  c.unfinished_attempts = attempts(AttemptOutcome::unfinished);
  c.arrived = number(arrived_);
  c.completed = number(completed_);
  c.refused = number(refused_);
  c.skipped = 0;
  c.unfinished_arrivals = number(unfinished_arrivals_);
  c.taken = number(taken_);
  c.abandoned = number(abandoned_);
  c.abandoned_seen = number(abandoned_seen_);
  c.seen_later = number(seen_later_);
  c.late_read = 0;    // virtual clients are never stalled
  c.undelivered = 0;  // nor do virtual connections break
  c.cut = number(cut_);
  t.whole = make_rates(seconds(since_start(last)), *c.offered, *c.succeeded, *c.completed,
                       *c.attempts, c.abandoned);
  t.settled = make_rates(seconds(end_ - settled_from_), number(settled_offered_),
                         number(settled_succeeded_), number(settled_completed_),
                         number(settled_attempts_), number(settled_abandoned_));
  t.stages = stages_.rates();
  t.request = request_latency_.quantiles();
  t.attempt = attempt_latency_.quantiles();
  t.all = all_latency_.quantiles();
  return t;
}

}  // namespace retrystorm
