// The third witness: which metrics stand for which counts, as service and generator say themselves,
// and what is said when Prometheus and the ledgers differ.
#include "experiments/evidence/scraped.hpp"

#include "core/figures.hpp"
#include "core/json_reader.hpp"

#include <algorithm>
#include <set>

#include <boost/json.hpp>
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

TEST(ScrapedCounts, OfAClassThatDifferFromTheLedgersAreNamed) {
  Tally ledgers;
  ledgers.counts.offered = 12;
  ledgers.classes.resize(2);
  ledgers.classes[0].counts.offered = 9;
  ledgers.classes[1].counts.offered = 3;
  ledgers.classes[1].counts.completed = 3;  // the service knows no class
  Scraped scraped;
  scraped.counts = {{"offered", 12}};
  scraped.classes = {{{"offered", 9}}, {{"offered", 3}}};
  EXPECT_THAT(disagreements(scraped, ledgers), testing::IsEmpty());
  EXPECT_EQ(scraped_from_json({to_json(scraped), "x"}).classes, scraped.classes);
  scraped.classes[1]["offered"] = 4;
  EXPECT_THAT(disagreements(scraped, ledgers),
              testing::ElementsAre("Prometheus counted 4 offered of class 1, the ledgers 3"));
  scraped.classes.clear();
  EXPECT_THAT(disagreements(scraped, ledgers),
              testing::ElementsAre("Prometheus has no count of offered of class 0",
                                   "Prometheus has no count of offered of class 1"));
}

}  // namespace
}  // namespace retrystorm
