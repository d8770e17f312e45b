// What a simulation of several classes of clients counts: each class for itself. The whole is their
// sum, so that it adds up by its making.
#pragma once

#include "core/classes.hpp"
#include "core/clients.hpp"
#include "model/simulate/sim_counts.hpp"

#include <cstdint>
#include <vector>

namespace retrystorm {

class ClassCounts : public SimulationObserver {
 public:
  explicit ClassCounts(const Scenario& scenario) {
    for (std::size_t c = 0; c < class_count(scenario); ++c) {
      counts_.emplace_back(scenario_of_class(scenario, c));
    }
  }

  void offered(Instant scheduled, std::uint8_t c) { counts_[c].offered(scheduled, c); }
  void attempted(const Outgoing& a) { counts_[a.client_class].attempted(a); }
  void attempt_ended(AttemptOutcome outcome, const Outgoing& a, Instant now) {
    counts_[a.client_class].attempt_ended(outcome, a, now);
  }
  void request_ended(const Final& f, Instant now) { counts_[f.client_class].request_ended(f, now); }
  void attempt_cut(const Outgoing& a) { counts_[a.client_class].attempt_cut(a); }
  void request_cut(const Final& f) { counts_[f.client_class].request_cut(f); }
  void arrived(std::uint64_t token, Instant now) { of(token).arrived(token, now); }
  void refused(std::uint64_t token, Reason reason, Instant now) {
    of(token).refused(token, reason, now);
  }
  void completed(const Job& job) { of(job.token).completed(job); }
  void taken(std::uint64_t token) { of(token).taken(token); }
  void abandoned(std::uint64_t token, Instant arrived, Instant finished) {
    of(token).abandoned(token, arrived, finished);
  }
  void completion_cut(std::uint64_t token) { of(token).completion_cut(token); }
  void arrival_unfinished(std::uint64_t token) { of(token).arrival_unfinished(token); }

  Tally tally() const {
    SimCounts whole = counts_.front();
    for (std::size_t c = 1; c < counts_.size(); ++c) whole.merge(counts_[c]);
    Tally tally = whole.tally();
    for (const SimCounts& counts : counts_) tally.classes.push_back(counts.tally(whole.last()));
    return tally;
  }

 private:
  SimCounts& of(std::uint64_t token) {
    return counts_[class_of(AttemptKey::unpack(token), counts_.size())];
  }

  std::vector<SimCounts> counts_;
};

}  // namespace retrystorm
