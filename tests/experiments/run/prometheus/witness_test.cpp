#include "experiments/run/prometheus/witness.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/net/listen.hpp"
#include "experiments/run/prometheus/api.hpp"
#include "experiments/run/prometheus/reserved_port.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Counts ledger() {
  Counts counts;
  counts.offered = 100, counts.attempts = 250, counts.completed = 90, counts.taken = 80;
  return counts;
}

Scraped agreeing() {
  Scraped scraped;
  scraped.at = 1000.25;
  scraped.counts = {{"offered", 100}, {"attempts", 250}, {"completed", 90}};
  scraped.scrapes["service"] = {24, 1, {}};
  scraped.scrapes["service"].took.p99 = 1.5;
  return scraped;
}

TEST(Scraped, AgreesWhenEveryCountIsTheLedgers) {
  EXPECT_THAT(disagreements(agreeing(), ledger()), IsEmpty());
}

TEST(Scraped, NamesTheCountThatIsOneOff) {
  Scraped scraped = agreeing();
  scraped.counts["attempts"] = 249;
  EXPECT_THAT(disagreements(scraped, ledger()),
              ElementsAre("Prometheus counted 249 attempts, the ledgers 250"));
}

TEST(Scraped, NamesTheCountThatIsMissing) {
  Scraped scraped = agreeing();
  scraped.counts.erase("completed");
  EXPECT_THAT(disagreements(scraped, ledger()),
              ElementsAre("Prometheus has no count of completed"));
}

// `taken` is known only by joining both ledgers: no metric can tell it.
TEST(Scraped, IsNotAskedForWhatOnlyTheJoinKnows) {
  Counts counts = ledger();
  counts.taken = 81;
  EXPECT_THAT(disagreements(agreeing(), counts), IsEmpty());
}

TEST(Scraped, WithoutAFinalSampleIsADisagreementOfItsOwn) {
  Scraped scraped;
  scraped.problem = "not within 10s";
  EXPECT_THAT(disagreements(scraped, ledger()), ElementsAre(HasSubstr("not within 10s")));
}

TEST(Scraped, ReadsBackFromJson) {
  const Scraped before = agreeing();
  const boost::json::value json = to_json(before);
  const Scraped after = scraped_from_json({json, "r.json"});
  EXPECT_EQ(after.at, before.at);
  EXPECT_EQ(after.counts, before.counts);
  EXPECT_EQ(after.scrapes.at("service").answered, 24U);
  EXPECT_EQ(after.scrapes.at("service").missed, 1U);
  EXPECT_EQ(after.scrapes.at("service").took.p99, 1.5);
  EXPECT_EQ(after.scrapes.at("service").took.mean, std::nullopt);
}

TEST(ReservedPort, CanBeListenedOnAgainAndAgain) {
  const ReservedPort port;
  for (int i = 0; i < 3; ++i) {
    boost::asio::io_context context(1);
    const auto acceptor = listen_on(context, port.address(), "--metrics");
    EXPECT_EQ(local_address(acceptor).port, port.address().port);
  }
}

TEST(ReservedPort, IsGivenToNobodyElse) {
  const ReservedPort port;
  for (int i = 0; i < 50; ++i) {
    boost::asio::io_context context(1);
    const auto acceptor = listen_on(context, {"127.0.0.1", 0}, "--metrics");
    EXPECT_NE(local_address(acceptor).port, port.address().port);
  }
}

TEST(PrometheusApi, SaysThatNobodyAnswers) {
  const ReservedPort port;  // bound, and nobody listens
  const PrometheusApi api(port.address());
  EXPECT_EQ(api.status("/-/ready"), std::nullopt);
  try {
    api.query("up");
    FAIL();
  } catch (const RunFailed& error) {
    EXPECT_THAT(error.what(), HasSubstr(port.address().text()));
  }
}

TEST(Scraped, OfADamagedFileIsRefusedWithItsName) {
  auto json = to_json(agreeing()).as_object();
  json.at("scrapes").as_object()["service"] = "fast";
  try {
    scraped_from_json({json, "r.json", "tries[0].prometheus"});
    FAIL() << "accepted";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("r.json: tries[0].prometheus.scrapes.service: "));
  }
}

}  // namespace
}  // namespace retrystorm
