// What a simulation counts while it runs: whole numbers and histograms, turned into a Tally at the
// end. It only watches; it decides nothing.
#pragma once

#include "core/histogram.hpp"
#include "core/scenario.hpp"
#include "core/stage_counts.hpp"
#include "core/tally.hpp"
#include "model/simulate/simulation.hpp"

#include <algorithm>
#include <cstdint>

namespace retrystorm {

class SimCounts : public SimulationObserver {
 public:
  explicit SimCounts(const Scenario& scenario)
      : settled_from_(settled_from(scenario)),
        end_(instant_at(scenario.client.duration)),
        timeout_(
            std::min(scenario.client.timeout, scenario.client.deadline.value_or(Duration::max()))),
        stages_(scenario) {}

  void offered(Instant scheduled, std::uint8_t) {
    ++offered_;
    settled_offered_ += in_window(scheduled);
    stages_.count(StageCounts::Event::offered, scheduled);
  }
  void attempted(const Outgoing& attempt) {
    ++attempts_;
    settled_attempts_ += in_window(attempt.sent);
    stages_.count(StageCounts::Event::attempted, attempt.sent);
  }
  void attempt_ended(AttemptOutcome outcome, const Outgoing& attempt, Instant now) {
    ++by_outcome_[static_cast<std::size_t>(outcome)];
    if (outcome == AttemptOutcome::succeeded) attempt_latency_.record(now - attempt.sent);
    last_ = std::max(last_, now);
  }
  void request_ended(const Final& final, Instant now) {
    ++by_request_outcome_[static_cast<std::size_t>(final.outcome)];
    last_ = std::max(last_, now);
    all_latency_.record(now - final.scheduled);
    if (final.outcome == RequestOutcome::succeeded) {
      request_latency_.record(now - final.scheduled);
      settled_succeeded_ += in_window(now);
      stages_.count(StageCounts::Event::succeeded, now);
    }
  }
  void attempt_cut(const Outgoing&) {
    ++by_outcome_[static_cast<std::size_t>(AttemptOutcome::unfinished)];
  }
  void request_cut(const Final&) {
    ++by_request_outcome_[static_cast<std::size_t>(RequestOutcome::unfinished)];
  }
  void arrived(std::uint64_t, Instant) { ++arrived_; }
  void refused(std::uint64_t, Reason, Instant now) {
    ++refused_;
    last_ = std::max(last_, now);
  }
  void completed(const Job& job) {
    ++completed_;
    settled_completed_ += in_window(job.due);
    stages_.count(StageCounts::Event::completed, job.due);
    last_ = std::max(last_, job.due);
  }
  void taken(std::uint64_t) { ++taken_; }
  // The reply of `job` found its client gone. The service sees it at the reply if the close got
  // there first.
  void abandoned(std::uint64_t, Instant arrived, Instant finished) {
    ++abandoned_;
    settled_abandoned_ += in_window(finished);
    stages_.count(StageCounts::Event::abandoned, finished);
    if (arrived + timeout_ < finished) {
      ++abandoned_seen_;
    } else {
      ++seen_later_;
    }
  }
  void completion_cut(std::uint64_t) { ++cut_; }
  void arrival_unfinished(std::uint64_t) { ++unfinished_arrivals_; }

  // Adds another's counts: the same as having been told of both.
  void merge(const SimCounts& other);
  // The end of the run: the latest event so far.
  Instant last() const { return last_; }

  Tally tally() const { return tally(last_); }
  // The rates of the whole run taken over its length, `last`: of a class, that of all.
  Tally tally(Instant last) const;

 private:
  bool in_window(Instant t) const { return t >= settled_from_ && t < end_; }

  Instant settled_from_;
  Instant end_;       // of the schedule
  Duration timeout_;  // of a first attempt; the deadline may end a retry even sooner
  Instant last_{};
  // merge() has them all.
  std::uint64_t offered_ = 0, attempts_ = 0, arrived_ = 0, completed_ = 0, refused_ = 0;
  std::uint64_t taken_ = 0, abandoned_ = 0, abandoned_seen_ = 0, seen_later_ = 0, cut_ = 0;
  std::uint64_t unfinished_arrivals_ = 0;
  std::uint64_t by_outcome_[attempt_outcome_names.size()] = {};
  std::uint64_t by_request_outcome_[request_outcome_names.size()] = {};
  std::uint64_t settled_offered_ = 0, settled_attempts_ = 0, settled_succeeded_ = 0;
  std::uint64_t settled_completed_ = 0, settled_abandoned_ = 0;
  StageCounts stages_;
  LatencyHistogram request_latency_, attempt_latency_, all_latency_;
};

}  // namespace retrystorm
