// Users of a closed loop, a load in stages and a recorded one, live: what is scheduled follows from
// what was answered, or from the plan, to the nanosecond.
#include "core/ledger.hpp"
#include "loadgen/report.hpp"
#include "tests/loadgen/run_generator.hpp"
#include "tests/temporary_directory.hpp"

#include <algorithm>

namespace retrystorm::loadgen {
namespace {

using testing::HasSubstr;

std::vector<RequestRecord> requests_in_ledger(const std::string& directory, std::uint32_t threads) {
  std::vector<RequestRecord> all;
  for (std::uint32_t k = 0; k < threads; ++k) {
    const auto file =
        read_ledger<RequestRecord>(directory + "/requests-" + std::to_string(k) + ".bin");
    all.insert(all.end(), file.records.begin(), file.records.end());
  }
  std::sort(all.begin(), all.end(), [](const RequestRecord& a, const RequestRecord& b) {
    return a.scheduled < b.scheduled;
  });
  return all;
}

LoadOptions with_users(const Url& target, std::int64_t users, Duration think) {
  LoadOptions options = options_for(target, 1);
  options.scenario.client.users = users;
  options.scenario.client.think = think;
  return options;
}

TEST(GeneratorOfUsers, SchedulesAUsersNextRequestWhenItHasThought) {
  const TemporaryDirectory directory;
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  LoadOptions options = with_users(peer.url(), 1, 3ms);
  options.ledger = directory.path();
  const Result r = run_generator(options);
  const auto requests = requests_in_ledger(directory.path(), 1);
  ASSERT_GE(requests.size(), 2U);
  EXPECT_EQ(requests.front().scheduled, nanoseconds_of(r.origin));
  for (std::size_t i = 1; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].scheduled, requests[i - 1].finished + Duration(3ms).count());
  }
  EXPECT_LT(requests.back().scheduled, nanoseconds_of(r.origin + 100ms));
  EXPECT_THAT(to_text(r), HasSubstr("schedule: 1 users asked for"));
}

TEST(GeneratorOfUsers, HasNoMoreInFlightThanUsersHoweverManyThreadsServeThem) {
  Peer peer([](const Heard& h) { return Answer{reply(h.id.request % 5 == 0 ? 503 : 200)}; });
  LoadOptions options = with_users(peer.url(), 7, 0ms);
  options.threads = 3;
  options.scenario.client.retries = 1;
  const Result r = run_generator(options);
  EXPECT_GT(r.seen.offered, 7U) << "they ask again";
  EXPECT_LE(r.seen.most_in_flight, 7U);
  EXPECT_EQ(count(r, RequestOutcome::unsent), 0U);
}

TEST(GeneratorOfUsers, WaitsForAllOfThemWhenNobodyAnswers) {
  Peer peer([](const Heard&) { return Answer{}; });
  LoadOptions options = with_users(peer.url(), 4, 0ms);
  options.scenario.client.timeout = 250ms;
  const Result r = run_generator(options);
  EXPECT_EQ(r.seen.offered, 4U) << "the duration is over before any of them knows";
  EXPECT_EQ(count(r, AttemptOutcome::timed_out), 4U);
}

TEST(GeneratorOfStages, OffersThePlanToTheNanosecond) {
  const TemporaryDirectory directory;
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  LoadOptions options = options_for(peer.url(), 1);
  options.scenario.client.stages = {{"", 300'000, 300'000, 30ms},
                                    {"burst", 1'000'000, 1'000'000, 20ms},
                                    {"", 0, 0, 10ms},
                                    {"", 100'000, 900'000, 40ms}};
  options.scenario.client.duration = 100ms;
  options.threads = 2;
  options.ledger = directory.path();
  const Result r = run_generator(options);
  const auto requests = requests_in_ledger(directory.path(), 2);
  Arrivals planned(options.scenario);
  for (const RequestRecord& request : requests) {
    ASSERT_NE(planned.next(), never);
    EXPECT_EQ(request.scheduled, nanoseconds_of(r.origin + since_start(planned.next())));
    EXPECT_EQ(request.request, planned.index());
    planned.pop();
  }
  EXPECT_EQ(planned.next(), never);
  EXPECT_THAT(to_text(r), HasSubstr("burst=1000/s:20ms"));
  const std::vector<StageRates> stages = tally_of(r).stages;
  ASSERT_EQ(stages.size(), 4U);
  EXPECT_EQ(stages[0].stage, "300/s:30ms");
  EXPECT_DOUBLE_EQ(stages[0].whole.offered_per_s.value(), 300);
  EXPECT_DOUBLE_EQ(stages[1].whole.offered_per_s.value(), 1000);
  EXPECT_EQ(stages[2].whole.offered_per_s, 0);
  EXPECT_DOUBLE_EQ(stages[3].whole.offered_per_s.value(), 500);
}

TEST(GeneratorOfARecording, OffersItToTheNanosecondHoweverManyThreadsShareIt) {
  const TemporaryDirectory directory;
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  LoadOptions options = options_for(peer.url(), 1);
  const RecordedInstants instants = {instant_at(1), instant_at(1), instant_at(7'000'001),
                                     instant_at(30ms), instant_at(31ms)};
  options.scenario.client.recorded = {"arrivals.txt",
                                      std::make_shared<const RecordedInstants>(instants)};
  options.threads = 3;
  options.ledger = directory.path();
  const Result r = run_generator(options);
  const auto requests = requests_in_ledger(directory.path(), 3);
  ASSERT_EQ(requests.size(), instants.size());
  for (const RequestRecord& request : requests) {
    ASSERT_LT(request.request, instants.size());
    EXPECT_EQ(request.scheduled, nanoseconds_of(r.origin + since_start(instants[request.request])));
  }
  EXPECT_THAT(to_text(r), HasSubstr("schedule: arrivals.txt, as recorded, asked for"));
}

}  // namespace
}  // namespace retrystorm::loadgen
