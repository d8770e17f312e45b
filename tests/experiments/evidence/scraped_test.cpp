// The third witness: which metrics stand for which counts, as service and generator say themselves,
// and what is said when Prometheus and the ledgers differ.
#include "experiments/evidence/scraped.hpp"

#include "core/figures.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

namespace retrystorm {
namespace {

std::set<std::string> names_of_counts() {
  std::set<std::string> names;
  const Counts none;
  visit_counts(none, [&](std::string_view name, const Count&) { names.emplace(name); });
  return names;
}

TEST(ScrapedCounts, AreCountsOfATallyEachOfOneMetric) {
  const std::set<std::string> counts = names_of_counts();
  std::set<std::string> seen;
  for (const auto& [job, metric] : scraped_counts()) {
    EXPECT_TRUE(counts.contains(std::string(metric.count))) << metric.metric << ' ' << metric.count;
    EXPECT_TRUE(seen.emplace(metric.count).second) << metric.metric << ' ' << metric.count;
  }
}

// Whether a reply was taken, and so what was abandoned, only the join of both ledgers knows; a cut
// is a simulation's.
TEST(ScrapedCounts, LackOnlyWhatNoProcessKnowsAlone) {
  std::set<std::string> unseen = names_of_counts();
  for (const auto& known : scraped_counts()) unseen.erase(std::string(known.metric.count));
  EXPECT_THAT(unseen, testing::ElementsAre("abandoned", "cut", "taken", "undelivered"));
}

TEST(ScrapedCounts, ThatDifferFromTheLedgersAreNamed) {
  Counts ledgers;
  ledgers.completed = 10;
  ledgers.offered = 12;
  ledgers.unfinished_arrivals = 0;
  ledgers.abandoned = 4;  // nothing that Prometheus could know
  Scraped scraped;
  scraped.counts = {{"completed", 9}, {"offered", 12}};
  EXPECT_THAT(disagreements(scraped, ledgers),
              testing::ElementsAre("Prometheus counted 9 completed, the ledgers 10",
                                   "Prometheus has no count of unfinished.arrivals"));
  scraped.problem = "it was stopped";
  EXPECT_THAT(disagreements(scraped, ledgers),
              testing::ElementsAre("Prometheus has no final sample: it was stopped"));
}

}  // namespace
}  // namespace retrystorm
