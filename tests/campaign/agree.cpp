#include "tests/campaign/agree.hpp"

#include "core/fields.hpp"
#include "core/figures.hpp"
#include "model/disagreements.hpp"
#include "model/simulate/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace retrystorm::campaign {
namespace {

constexpr int few_seeds = 16;
constexpr int many_seeds = 160;

const Tally* exact(std::span<const Tally> answers, std::string_view engine) {
  const auto found = std::find_if(answers.begin(), answers.end(), [&](const Tally& t) {
    return t.engine == engine && t.approximations.empty();
  });
  return found == answers.end() ? nullptr : &*found;
}

// Nothing is drawn: to the last count.
void same_counts(const Tally& a, const Tally& b, std::vector<std::string>& parts) {
  visit_counts(a.counts, [&](std::string_view name, const Count& mine) {
    visit_counts(b.counts, [&](std::string_view other, const Count& theirs) {
      if (name != other || !mine || !theirs || *mine == *theirs) return;
      parts.push_back(fmt::format("{} and {} are exact and part: {} {} against {}", a.engine,
                                  b.engine, name, *mine, *theirs));
    });
  });
}

// A mean over runs against its expectation. A count that most runs have none of comes in bursts of
// up to `burst`, and the sample's own spread says little of it.
bool near(double expected, const Spread& sample, int seeds, double burst) {
  const double chance = std::sqrt(std::max(expected, 1.0) * (sample.low > 0 ? 1 : burst));
  return std::abs(expected - sample.mean) <=
         6 * std::max(sample.sd, chance) / std::sqrt(seeds) + 1e-6 * expected;
}

std::vector<std::string> off_mean(const Scenario& s, const Tally& expected, int seeds) {
  std::vector<std::string> parts;
  const Tally sample = simulate_band(s, seeds);
  const double burst =
      static_cast<double>(s.service.workers) + static_cast<double>(queue_places(s));
  visit_counts(expected.counts, [&](std::string_view name, const Count& mean) {
    const auto spread = sample.spread.find(fmt::format("counts.{}", name));
    if (!mean || spread == sample.spread.end()) return;
    if (near(*mean, spread->second, seeds, burst)) return;
    parts.push_back(
        fmt::format("{} and simulate are exact and part: {} {} against {} +- {} over {} seeds",
                    expected.engine, name, *mean, spread->second.mean, spread->second.sd, seeds));
  });
  return parts;
}

// Whether the run has been through what a run without end has: a queue that fills has filled before
// the settled window (near the ceiling nobody knows when), and the window is many work times long.
bool long_enough(const Scenario& s, const Tally& run) {
  if (!run.settled.seconds || !run.settling.from_s) return false;
  if (*run.settled.seconds < 10 * seconds(s.service.work)) return false;
  const double beyond = s.client.rate - ceiling(s);
  if (std::abs(beyond) < 0.05 * ceiling(s)) return false;
  const double room = static_cast<double>(s.service.workers) + static_cast<double>(queue_places(s));
  return beyond < 0 || room / beyond < *run.settling.from_s;
}

// A run without end against one that has settled: within some hundredths of the load (a mean that
// still moves by one from window to window has settled), and what a window may gain or lose at its
// ends.
void same_settled(const Scenario& s, const Tally& a, const Tally& b,
                  std::vector<std::string>& parts) {
  const Count& mine = a.settled.goodput_per_s;
  const Count& theirs = b.settled.goodput_per_s;
  if (!mine || !theirs || !long_enough(s, b)) return;
  const double ends = 2 * (1 + static_cast<double>(s.service.workers)) / *b.settled.seconds;
  const double share = is_random(s) ? 0.05 : 0.02;
  if (std::abs(*mine - *theirs) <= share * s.client.rate + ends) return;
  parts.push_back(fmt::format("{} and {} are exact and part: settled goodput {} against {}",
                              a.engine, b.engine, *mine, *theirs));
}

}  // namespace

std::vector<std::string> parted(const Scenario& s, std::span<const Tally> answers) {
  std::vector<std::string> parts;
  const Tally* simulated = exact(answers, "simulate");
  const Tally* fluid = exact(answers, "fluid");
  const Tally* stationary = exact(answers, "stationary");
  const Tally* markov = exact(answers, "markov");
  const bool random = is_random(s);
  if (simulated && fluid && !random) same_counts(*simulated, *fluid, parts);
  if (simulated && markov) {
    // One in so many comparisons is off by chance: many more seeds tell.
    if (!off_mean(s, *markov, few_seeds).empty()) parts = off_mean(s, *markov, many_seeds);
  }
  for (const Tally* run : {random ? nullptr : simulated, fluid, markov}) {
    if (stationary && run) same_settled(s, *stationary, *run, parts);
  }
  // The program's own judgement of its answers: none may be beyond explanation.
  for (const std::string& sentence : disagreements(s, answers)) {
    if (sentence.ends_with("one of the two is wrong")) parts.push_back(sentence);
  }
  return parts;
}

}  // namespace retrystorm::campaign
