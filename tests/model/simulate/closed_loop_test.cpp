// Users in the simulation, held against a recursion of their own and against what must be so.
#include "model/honours.hpp"
#include "model/simulate/simulate.hpp"
#include "model/simulate/simulation.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

Scenario closed(std::int64_t users, Duration think) {
  Scenario s;
  s.client.users = users;
  s.client.think = think;
  s.client.timeout = 1h;
  s.client.duration = 5s;
  s.service.queue = 1'000;
  return s;
}

// Users who wait for the oldest first, with places for all and patience without end: request by
// request in the order of their instants, a worker's next free instant at a time. When the last
// one was answered, and how many.
std::pair<std::uint64_t, Instant> recursion(const Scenario& s) {
  using Next = std::pair<Instant, std::int64_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> users;
  for (std::int64_t u = 0; u < *s.client.users; ++u) {
    users.emplace(instant_at(u * s.client.think.count() / *s.client.users), u);
  }
  std::vector<Instant> free(static_cast<std::size_t>(s.service.workers));
  std::uint64_t answered = 0;
  Instant last{};
  while (!users.empty()) {
    const auto [now, user] = users.top();
    users.pop();
    if (now >= instant_at(s.client.duration)) continue;
    auto worker = std::min_element(free.begin(), free.end());
    *worker = std::max(*worker, now + s.network.round_trip / 2) + s.service.work;
    ++answered;
    last = std::max(last, *worker + s.network.round_trip / 2);
    users.emplace(*worker + s.network.round_trip / 2 + s.client.think, user);
  }
  return {answered, last};
}

TEST(ClosedLoop, AgreesWithARecursionOfItsOwn) {
  for (const std::int64_t users : {1, 7, 20, 21, 60, 133}) {
    for (const Duration think : {Duration(0), Duration(7ms), Duration(100ms)}) {
      const Scenario s = closed(users, think);
      SCOPED_TRACE(testing::Message() << users << " users who think " << format_duration(think));
      const auto [answered, last] = recursion(s);
      const Tally t = simulate(s);
      EXPECT_EQ(t.counts.offered, static_cast<double>(answered));
      EXPECT_EQ(t.counts.succeeded, static_cast<double>(answered));
      EXPECT_DOUBLE_EQ(*t.whole.seconds, seconds(since_start(last)));
      EXPECT_EQ(broken_identities(t.counts), std::vector<std::string>{});
    }
  }
}

TEST(ClosedLoop, OffersWhatItsUsersCanUpToTheCeiling) {
  for (const std::int64_t users : {5, 20, 40, 200}) {
    const Scenario s = closed(users, 20ms);
    const Tally t = simulate(s);
    EXPECT_NEAR(*t.settled.goodput_per_s, closed_loop_rate(s), 0.02 * closed_loop_rate(s)) << users;
  }
}

TEST(ClosedLoop, HasNoMoreRequestsInTheServiceThanUsersWhoArePatient) {
  SimulationExtremes extremes;
  simulate(closed(60, 0ms), {}, extremes);
  EXPECT_EQ(extremes.max_in_system, 60U);
}

TEST(ClosedLoop, BalancesWhenUsersAreRefusedTimeOutAndTryAgain) {
  Scenario s = closed(60, 0ms);
  s.service.queue = 30;
  s.client.timeout = 50ms;
  s.client.retries = 2;
  const Tally t = simulate(s);
  EXPECT_EQ(broken_identities(t.counts), std::vector<std::string>{});
  EXPECT_GT(*t.counts.rejected, 0);
  EXPECT_GT(*t.counts.timed_out, 0);
  EXPECT_GT(*t.counts.attempts, *t.counts.offered);
}

TEST(ClosedLoop, IsRefusedByTheClosedForms) {
  for (const Engine engine : {Engine::fluid, Engine::stationary, Engine::markov}) {
    const auto left_out = unmodelled(engine, closed(60, 0ms));
    EXPECT_TRUE(std::any_of(left_out.begin(), left_out.end(), [](const Unmodelled& u) {
      return u.field == "client.users" && u.instead.empty();
    })) << name(engine);
  }
}

}  // namespace
}  // namespace retrystorm
