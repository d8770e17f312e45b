// Whether a measured arm can vouch for itself: the figures that tell, the limits they must keep,
// and the reasons where they do not.
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"
#include "core/trust_limits.hpp"
#include "experiments/evidence/import.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

struct LoadOffered;

// The same of one stage of the offered load: of the requests that were scheduled in it.
struct StageTrust {
  std::string stage;  // as in client.stages
  double seconds = 0;
  Count scheduled_per_s, arrived_per_s;
  Count arrival_gap_cv;  // of gaps measured in scheduled requests
};

// What was measured; empty where it could not be.
struct TrustFigures {
  Count first_attempts;
  Count send_lag_p50_ms, send_lag_p99_ms, send_lag_max_ms;  // of first attempts: sent - scheduled
  Count send_lag_over_limit;  // share of first attempts later than the limit for p99
  Count unsent_by_policy;     // requests that the client was set to keep back
  Count unsent_for_shortage;  // requests that the generator was short of something for
  Count retries_denied;       // for such a shortage
  Count schedule_errors;      // requests missing, or offered at another instant than the schedule's
  Count work_drawn_ms, effective_work_ms;  // means: the scenario's draw; finished - picked
  Count carried_lateness_max_ms;           // picked - started
  Count carried_lateness_at_bound;         // how often it was at one work time
  Count service_lateness_max_ms;           // finished - due
  Count read_lateness_max_ms;              // arrived - sent: at the service, read late
  Count scheduled_per_s, arrived_per_s;    // first attempts: their schedule, at the service
  Count arrival_gap_cv;  // first attempts at the service; in stages, in scheduled requests
  Count round_trip_ms;   // median over replies in time: both ways together
  Count service_cpu_share, generator_cpu_share;  // of one core per thread
  Count ledger_lost;                             // records that a process could not write
  std::vector<StageTrust> stages;                // of a load in stages, in their order
};

template <typename Figures, typename F>
void visit_figures(Figures& t, F&& f) {
  f("first_attempts", t.first_attempts), f("send_lag_p50_ms", t.send_lag_p50_ms),
      f("send_lag_p99_ms", t.send_lag_p99_ms);
  f("send_lag_max_ms", t.send_lag_max_ms), f("send_lag_over_limit", t.send_lag_over_limit);
  f("unsent_by_policy", t.unsent_by_policy), f("unsent_for_shortage", t.unsent_for_shortage);
  f("retries_denied", t.retries_denied);
  f("schedule_errors", t.schedule_errors), f("work_drawn_ms", t.work_drawn_ms);
  f("effective_work_ms", t.effective_work_ms);
  f("carried_lateness_max_ms", t.carried_lateness_max_ms);
  f("carried_lateness_at_bound", t.carried_lateness_at_bound);
  f("service_lateness_max_ms", t.service_lateness_max_ms);
  f("read_lateness_max_ms", t.read_lateness_max_ms);
  f("scheduled_per_s", t.scheduled_per_s), f("arrived_per_s", t.arrived_per_s);
  f("arrival_gap_cv", t.arrival_gap_cv), f("round_trip_ms", t.round_trip_ms);
  f("service_cpu_share", t.service_cpu_share), f("generator_cpu_share", t.generator_cpu_share);
  f("ledger_lost", t.ledger_lost);
}

// The figures that an imported try's ledger tells; `load` is what it tells of the load offered.
TrustFigures figures_from_ledger(Database& database, const TryKey& key, const Scenario& scenario,
                                 const LoadOffered& load);

// Each limit that is not kept, as a text for people; empty for a trusted arm. A figure that is
// missing keeps no limit. Those of the load offered are judged by broken_load_limits().
std::vector<std::string> broken_limits(const TrustFigures& figures, const TrustLimits& limits,
                                       const Scenario& scenario);

// Where a process's own counts differ from the ledger's; only the counts of these names are
// compared.
std::vector<std::string> disagreements(std::string_view process, const JsonObject& own,
                                       const Counts& ledger,
                                       std::span<const std::string_view> names);

}  // namespace retrystorm
