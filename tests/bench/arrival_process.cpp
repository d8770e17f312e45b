// Whether requests reach the service as they were planned: from the ledger of a run, for each arm
// and stage, how the gaps between first attempts vary (coefficient of variation) and how their
// number in windows of 10 ms does (index of dispersion: variance over mean), both measured in
// scheduled requests, so that a ramp is judged like a constant rate. Prints a line each and ends
// with 1 where one is outside what its process must keep.
//
//   retrystorm run tests/bench/arrival_process.toml --out DIR && arrival_process DIR
#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/tally.hpp"
#include "experiments/evidence/stored_run.hpp"
#include "experiments/evidence/try_key.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace {
using namespace retrystorm;

constexpr Duration window = std::chrono::milliseconds(10);

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments_of(const std::vector<double>& values) {
  Moments m;
  for (const double v : values) m.mean += v / static_cast<double>(values.size());
  for (const double v : values) {
    m.variance += (v - m.mean) * (v - m.mean) / static_cast<double>(values.size());
  }
  return m;
}

// Where the first attempts scheduled in [from, to) arrived, in scheduled requests from the stage's
// start, sorted.
std::vector<double> positions(Database& database, const TryKey& key, const Stage& stage,
                              Instant from) {
  Statement rows(
      database,
      "SELECT a.arrived FROM arrivals a JOIN requests r USING (arm, try_number, request) "
      "WHERE arm = ? AND try_number = ? AND attempt = 0 AND scheduled >= ? AND "
      "scheduled < ? ORDER BY a.arrived");
  rows.bind(key.arm, key.try_number, nanoseconds_of(from), nanoseconds_of(from + stage.length));
  std::vector<double> list;
  while (rows.step()) {
    const Instant arrived = instant_at(rows.only_column().integer());
    list.push_back(area_until(stage, arrived - from));
  }
  return list;
}

// True if the stage's arrivals are as its process must be.
bool report(const std::string& arm, const Stage& stage, const std::vector<double>& at, bool even) {
  if (at.size() < 3) return true;
  std::vector<double> gaps;
  for (std::size_t i = 1; i < at.size(); ++i) gaps.push_back(at[i] - at[i - 1]);
  const double size = mean_rate(stage) * seconds(window);
  std::vector<double> counts(static_cast<std::size_t>(area_of(stage) / size));
  for (const double one : at) {
    const double index = one / size;
    if (index >= 0 && index < static_cast<double>(counts.size())) {
      ++counts[static_cast<std::size_t>(index)];
    }
  }
  const Moments gap = moments_of(gaps);
  const Moments count = moments_of(counts);
  const double cv = std::sqrt(gap.variance) / gap.mean;
  const double dispersion = count.mean > 0 ? count.variance / count.mean : 0;
  const bool kept = even ? cv <= 0.5 && dispersion <= 0.1
                         : cv >= 0.97 && cv <= 1.03 && dispersion >= 0.9 && dispersion <= 1.1;
  fmt::print("{:<12} {:<24} {:>8} arrivals  gap CV {:.3f} ({})  dispersion {:.3f} ({})  {}\n", arm,
             text_of(stage), at.size(), cv, even ? "at most 0.5" : "0.97 to 1.03", dispersion,
             even ? "at most 0.1" : "0.9 to 1.1", kept ? "kept" : "NOT KEPT");
  return kept;
}

int judge(const std::string& directory) {
  auto database = ledger_of_directory(directory);
  if (!database) throw InvalidInput(directory, "", "holds no ledger");
  std::vector<std::pair<TryKey, std::string>> tries;
  Statement arms(*database, "SELECT arm, try_number, scenario FROM arms ORDER BY arm, try_number");
  const Column arm = arms["arm"], number = arms["try_number"], scenario = arms["scenario"];
  while (arms.step()) tries.push_back({{arm.text(), number.integer()}, scenario.text()});
  bool kept = true;
  for (const auto& [key, text] : tries) {
    const boost::json::value json = boost::json::parse(text);
    const Scenario s = scenario_from_json({json, directory});
    Instant start{};
    for (const Stage& stage : s.client.stages) {
      kept = report(key.arm, stage, positions(*database, key, stage, start),
                    s.client.arrivals == ArrivalProcess::even) &&
             kept;
      start += stage.length;
    }
  }
  return kept ? exit_done : exit_failed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: arrival_process DIR (of a run whose load is in stages)\n");
    return exit_invalid;
  }
  try {
    return judge(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "arrival_process: {}\n", error.what());
    return exit_invalid;
  }
}
