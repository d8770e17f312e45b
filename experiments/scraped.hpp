// What Prometheus has seen of one try: the third witness beside the two ledgers. Its last sample
// of each process, taken when all was over, must say what the ledgers say, to the last request.
#pragma once

#include "core/tally.hpp"
#include "experiments/prometheus_api.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace retrystorm {

// How the scrapes of one process went.
struct Scrapes {
  std::uint64_t answered = 0;
  std::uint64_t missed = 0;  // after the first: not answered within the scrape interval
  Quantiles took;            // milliseconds, of the answered
};

struct Scraped {
  double at = 0;                           // the last sample, seconds since 1970
  std::map<std::string, double> counts;    // by name; only what was found
  std::map<std::string, Scrapes> scrapes;  // by job
  std::string problem;                     // why there is no last sample; empty if there is
};

// True once Prometheus has scraped the job since `after` (seconds since 1970).
bool scraped_since(const PrometheusApi& prometheus, std::string_view job, double after);

// The counts, if each process has been scraped since `after` and the service had nothing left to
// do by then: no request in a queue or at a worker, no connection. Throws RunFailed.
std::optional<Scraped> last_sample(const PrometheusApi& prometheus, double after);

// How the scrapes in (from, to] went, seconds since 1970.
std::map<std::string, Scrapes> scrapes_between(const PrometheusApi& prometheus, double from,
                                               double to);

boost::json::value to_json(const Scraped& scraped);
// Reads what to_json() wrote.
// Throws InvalidInput naming `where`.
Scraped scraped_from_json(const boost::json::object& object, std::string_view where);

// Where Prometheus' final counts differ from the ledgers', each as a text for people.
std::vector<std::string> disagreements(const Scraped& scraped, const Counts& ledgers);

}  // namespace retrystorm
