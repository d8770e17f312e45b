// What Prometheus has seen of one try: the third witness beside the two ledgers. Its last sample
// of each process, taken when all was over, must say what the ledgers say, to the last request.
#pragma once

#include "core/tally.hpp"

#include <cstdint>
#include <map>
#include <span>
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
  double at = 0;                           // the last sample, seconds since 1970
  std::map<std::string, double> counts;    // by name; only what was found
  std::map<std::string, Scrapes> scrapes;  // by job
  std::string problem;                     // why there is no last sample; empty if there is
};

// Where Prometheus' metrics are counts of a Tally, by the names that visit_counts() gives them.
struct ScrapedCount {
  std::string_view count;
  std::string_view job;
  std::string_view metric;
  std::string_view label, value;  // only samples with this label; all if empty
};
std::span<const ScrapedCount> scraped_counts();

boost::json::value to_json(const Scraped& scraped);
// Reads what to_json() wrote; throws InvalidInput naming the member.
Scraped scraped_from_json(const JsonObject& object);

// Where Prometheus' final counts differ from the ledgers', each as a text for people.
std::vector<std::string> disagreements(const Scraped& scraped, const Counts& ledgers);

}  // namespace retrystorm
