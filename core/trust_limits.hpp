// What a measured run must keep to so that it can vouch for itself (docs/semantics.md, "Trust"):
// each limit once, for the generator that judges its own load and for the run that judges both
// sides.
#pragma once

#include <string_view>

#include <boost/json/fwd.hpp>

namespace retrystorm {

class JsonObject;

// The defaults; each can be set.
struct TrustLimits {
  double send_lag_p99_ms = 1;
  double send_lag_max_ms = 20;
  double service_lateness_max_ms = 20;
  double work_error = 0.01;     // share: effective work against the work drawn
  double rate_error = 0.01;     // share: first attempts against their schedule
  double arrival_gap_cv = 0.7;  // coefficient of variation, even pacing only
  double cpu_share = 0.9;       // of a core per thread
};

// One of them: its name in report.json, the flag of `retrystorm run` that sets it (of `retrystorm
// load`, too, where the generator alone can tell), what it is.
struct TrustLimit {
  std::string_view name, flag, meaning;
  double TrustLimits::*value;
  bool of_generator;
};
inline constexpr TrustLimit trust_limits[] = {
    {"send_lag_p99_ms", "--lag-p99-ms", "most send lag, 99th percentile, ms",
     &TrustLimits::send_lag_p99_ms, true},
    {"send_lag_max_ms", "--lag-max-ms", "most send lag, ms", &TrustLimits::send_lag_max_ms, true},
    {"service_lateness_max_ms", "--lateness-max-ms",
     "most lateness of the service, at reading and at finishing, ms",
     &TrustLimits::service_lateness_max_ms, false},
    {"work_error", "--work-error", "effective work off the work drawn, as a share",
     &TrustLimits::work_error, false},
    {"rate_error", "--rate-error", "first attempts off their schedule, as a share",
     &TrustLimits::rate_error, true},
    {"arrival_gap_cv", "--gap-cv", "coefficient of variation of even arrivals' gaps",
     &TrustLimits::arrival_gap_cv, false},
    {"cpu_share", "--cpu-share", "of a core per thread, service and generator each",
     &TrustLimits::cpu_share, true},
};

boost::json::object to_json(const TrustLimits& limits);
// Reads what to_json() wrote; a limit that is missing has its default.
TrustLimits limits_from_json(const JsonObject& object);

}  // namespace retrystorm
