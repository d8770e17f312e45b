// What becomes of an attempt once a service has settled under a steady stream of attempts: the
// stationary law that fits the scenario's arrivals and work, told as shares of attempts. Nothing
// here knows retries; the stream's rate is given.
#pragma once

#include "core/scenario.hpp"
#include "model/effort.hpp"
#include "model/latencies.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace retrystorm {

// Shares of attempts; they sum to 1.
struct AttemptShares {
  double succeeded = 0;
  double refused = 0;
  double late = 0;  // admitted, served after the client has left
};

class SettledService {
 public:
  // Which law: M/M/c/N and D/M/c/N exact, M/D/c/N approximate with a known error
  // (capacity/mdcn.hpp; exact for one worker or no queue), D/D/c/N exact.
  enum class Law : std::uint8_t { mmcn, dmcn, mdcn, ddcn };

  // Workers, queue, work, timeout and round trip of the scenario. Lognormal work is taken as fixed
  // or exponential, whichever coefficient of variation is nearer; what is too large to solve as
  // M/M.
  explicit SettledService(const Scenario& scenario, Meter* meter = nullptr);

  Law law() const { return law_; }
  // False only for M/D/c/N with more than one worker and a queue.
  bool exact() const;

  // When attempts come at this rate per second, above 0.
  AttemptShares shares(double attempts_per_s) const;

  // What shares() takes at that rate.
  Cost cost(double attempts_per_s) const;

  // How long admitted attempts stay in the service, as shares of attempts; nothing where the law is
  // not known exactly: M/D/c/N with several workers and a queue, unless refusals are too few to
  // matter (below 1e-5), where it is M/D/c's.
  std::optional<Sojourns> sojourns(double attempts_per_s) const;

 private:
  std::vector<double> found(double attempts_per_s) const;  // last: refused
  std::vector<double> late(double seconds) const;          // by number found
  bool one_at_a_time() const { return law_ == Law::mdcn && workers_ == 1 && room_ > 1; }

  Law law_;
  Meter* meter_;  // of the work of its answers
  double work_s_;
  std::int64_t workers_;
  std::int64_t room_;         // of the system, those in work included
  double patience_s_;         // sojourn that is still in time: timeout - round trip; may be below 0
  std::vector<double> late_;  // at patience_s_
};

}  // namespace retrystorm
