// What Prometheus has seen of one try: the third witness beside the two ledgers. Its last sample
// of each process, taken when all was over, must say what the ledgers say, to the last request.
#pragma once

#include "core/net/metric_label.hpp"
#include "core/tally.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

class JsonObject;

// How the scrapes of one process went.
struct Scrapes {
  std::uint64_t answered = 0;
  std::uint64_t missed = 0;  // after the first: not answered within the scrape interval
  Quantiles took;            // milliseconds, of the answered
};

struct Scraped {
  double at = 0;                         // the last sample, seconds since 1970
  std::map<std::string, double> counts;  // by name; only what was found
  std::vector<std::map<std::string, double>>
      classes;                             // the same of each class of clients, if several
  std::map<std::string, Scrapes> scrapes;  // by job
  std::string problem;                     // why there is no last sample; empty if there is
};

// Which metrics of which job are counts of a Tally, as service and generator say themselves.
struct ScrapedCount {
  std::string_view job;
  MetricWitness metric;
};
const std::vector<ScrapedCount>& scraped_counts();

boost::json::value to_json(const Scraped& scraped);
// Reads what to_json() wrote; throws InvalidInput naming the member.
Scraped scraped_from_json(const JsonObject& object);

// Where Prometheus' final counts differ from the ledgers', each as a text for people. Of the whole;
// and of a tally also class by class, in what the generator counts.
std::vector<std::string> disagreements(const Scraped& scraped, const Counts& ledgers);
std::vector<std::string> disagreements(const Scraped& scraped, const Tally& ledgers);

}  // namespace retrystorm
