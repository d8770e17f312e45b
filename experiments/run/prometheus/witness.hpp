// Prometheus as the third witness: asks it what it has seen of a try. What it said is kept and
// judged as evidence (evidence/scraped.hpp).
#pragma once

#include "experiments/evidence/scraped.hpp"
#include "experiments/run/prometheus/api.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace retrystorm {

// True once Prometheus has scraped the job since `after` (seconds since 1970).
bool scraped_since(const PrometheusApi& prometheus, std::string_view job, double after);

// The counts, if each process has been scraped since `after` and the service had nothing left to
// do by then: no request in a queue or at a worker, no connection. Throws RunFailed.
std::optional<Scraped> last_sample(const PrometheusApi& prometheus, double after);

// How the scrapes in (from, to] went, seconds since 1970.
std::map<std::string, Scrapes> scrapes_between(const PrometheusApi& prometheus, double from,
                                               double to);

}  // namespace retrystorm
