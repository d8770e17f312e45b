#include "core/policy/stage.hpp"

#include "core/policy/arrivals.hpp"
#include "core/scenario.hpp"
#include "tests/instants.hpp"
#include "tests/seed.hpp"

#include <cmath>
#include <random>

#include <boost/multiprecision/cpp_int.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using boost::multiprecision::cpp_int;
using testing::HasSubstr;

Stage stage_of(std::string_view text) {
  Stage stage;
  EXPECT_EQ(read_stage(stage, text), "") << text;
  return stage;
}

std::vector<Stage> stages_of(const std::vector<std::string>& texts) {
  std::vector<Stage> stages;
  for (const std::string& text : texts) stages.push_back(stage_of(text));
  return stages;
}

Scenario in_stages(std::vector<Stage> stages) {
  Scenario s;
  s.client.rate = mean_rate(stages);
  s.client.duration = length_of(stages);
  s.client.stages = std::move(stages);
  return s;
}

std::vector<std::pair<std::uint64_t, Instant>> all_drawn(Arrivals a) {
  std::vector<std::pair<std::uint64_t, Instant>> list;
  for (; a.next() != never; a.pop()) list.emplace_back(a.index(), a.next());
  return list;
}

// The definition, followed slowly: the integral of the rate up to n nanoseconds as a fraction of
// whole numbers without bounds, and the last n at which it is not above k, halving the stage.
std::vector<std::int64_t> slow_schedule(const Stage& s) {
  const cpp_int a = s.from, b = s.to, length = s.length.count();
  const cpp_int thousandths_ns = cpp_int(1'000'000'000) * 1000;
  const auto above = [&](const cpp_int& n, std::uint64_t k) {  // integral > k
    return a * n * 2 * length + (b - a) * n * n > cpp_int(k) * 2 * length * thousandths_ns;
  };
  std::vector<std::int64_t> list;
  for (std::uint64_t k = 0; above(length, k); ++k) {
    cpp_int low = 0, high = length;
    while (high - low > 1) {
      const cpp_int middle = (low + high) / 2;
      (above(middle, k) ? high : low) = middle;
    }
    list.push_back(static_cast<std::int64_t>(low));
  }
  return list;
}

void expect_exact(const Stage& stage) {
  SCOPED_TRACE(text_of(stage));
  const std::vector<std::int64_t> slow = slow_schedule(stage);
  ASSERT_EQ(requests_in(stage), slow.size());
  for (std::size_t k = 0; k < slow.size(); ++k) {
    ASSERT_EQ(instant_in(stage, k).count(), slow[k]) << "request " << k;
  }
}

TEST(Stage, IsReadAndWrittenAlike) {
  for (const char* text : {"200/s:5s", "burst=800/s:3s", "200/s..1200/s:30s", "0/s:250ms",
                           "warm-up_1=0/s..0.125/s:1.5s"}) {
    EXPECT_EQ(text_of(stage_of(text)), text);
  }
  EXPECT_EQ(text_of(stage_of("200:1min")), "200/s:60s");
  EXPECT_EQ(stage_of("33.3/s:3s").from, 33'300);
}

TEST(Stage, ThatIsNoneIsRefusedWithWhatWouldBe) {
  Stage kept = stage_of("7/s:1s");
  for (const char* text : {"", "200/s", "200/s:", ":5s", "200/s:5", "-1/s:5s", "1e3/s:5s",
                           "200/s..:5s", "1..2..3:5s", "0.0001/s:5s"}) {
    EXPECT_THAT(read_stage(kept, text), HasSubstr("burst=800/s:3s")) << text;
  }
  EXPECT_THAT(read_stage(kept, "a b=1/s:5s"), HasSubstr("name"));
  EXPECT_THAT(read_stage(kept, "=1/s:5s"), HasSubstr("name"));
  EXPECT_THAT(read_stage(kept, "10000001/s:5s"), HasSubstr("10000000"));
  EXPECT_THAT(read_stage(kept, "1/s:25h"), HasSubstr("24h"));
  EXPECT_THAT(read_stage(kept, "1/s:0ms"), HasSubstr("1ms"));
  EXPECT_EQ(text_of(kept), "7/s:1s") << "what is refused changes nothing";
}

TEST(Stage, OffersEachRequestAtTheFloorOfItsExactInstant) {
  for (const char* text :
       {"997/s:2s", "0.3/s:10s", "33.333/s:3s", "0/s:5s", "1/s:1ms", "200/s..1200/s:3s",
        "1200/s..200/s:3s", "0/s..997/s:2s", "997/s..0/s:2s", "0/s..0.5/s:7s", "3/s..3.001/s:90s",
        "0/s..0/s:1s", "0.001/s..0/s:24h", "0/s..0.1/s:24h"}) {
    expect_exact(stage_of(text));
  }
}

TEST(Stage, OffersExactlyWhateverItsRatesAndLength) {
  for (const std::uint64_t seed : seeds<std::uint64_t>(1, 60)) {
    const Seed shown(seed);
    std::mt19937_64 random(seed);
    const auto below = [&](std::int64_t n) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    Stage s{"", below(400'000), below(400'000), Duration(1'000'000 + below(2'000'000'000))};
    if (below(4) == 0) s.to = s.from;
    if (below(6) == 0) s.to = 0;
    expect_exact(s);
  }
}

TEST(Stage, StaysWithinItsNumbersAtItsLargest) {
  const Stage up{"", 0, most_stage_rate, most_stage_length};
  const Stage down{"", most_stage_rate, 0, most_stage_length};
  const std::uint64_t all = requests_in(up);
  EXPECT_EQ(all, 432'000'000'000U);
  EXPECT_EQ(requests_in(down), all);
  // The quarter of the requests is offered in the first half of a ramp from 0.
  EXPECT_EQ(instant_in(up, all / 4), most_stage_length / 2);
  EXPECT_EQ(instant_in(down, 3 * (all / 4)), most_stage_length / 2);
  EXPECT_LT(instant_in(down, all - 1), most_stage_length);
}

TEST(Stages, CountAnewInEach) {
  const auto list = all_drawn(
      Arrivals(in_stages(stages_of({"3/s:1s", "0/s:500ms", "burst=7/s:1s", "2/s..4/s:1s"}))));
  std::vector<std::pair<std::uint64_t, Instant>> expected;
  const auto add = [&](Instant start, const char* text) {
    for (const std::int64_t at : slow_schedule(stage_of(text))) {
      expected.emplace_back(expected.size(), start + Duration(at));
    }
  };
  add(at(0s), "3/s:1s");
  add(at(1500ms), "7/s:1s");
  add(at(2500ms), "2/s..4/s:1s");
  EXPECT_EQ(list, expected);
}

TEST(Stages, OfOneRateAreTheScheduleOfThatRate) {
  for (const double rate : {1.0, 3.0, 997.0, 0.3, 33.333}) {
    Scenario plain;
    plain.client.rate = rate;
    plain.client.duration = 11s;
    const auto thousandths = static_cast<std::int64_t>(std::llround(rate * 1000));
    EXPECT_EQ(all_drawn(Arrivals(in_stages({{"", thousandths, thousandths, 11s}}))),
              all_drawn(Arrivals(plain)))
        << rate;
  }
}

TEST(Stages, SharedAmongThreadsAreTogetherTheWhole) {
  for (const auto process : {ArrivalProcess::even, ArrivalProcess::poisson}) {
    Scenario s = in_stages(stages_of({"997/s:700ms", "0/s:10ms", "33.3/s:1s", "5/s..777/s:1s",
                                      "1/s:1s", "3/s:1ms", "60/s..0/s:1s"}));
    s.client.arrivals = process;
    auto whole = all_drawn(Arrivals(s));
    decltype(whole) parts;
    for (std::uint64_t k = 0; k < 7; ++k) {
      const auto part = all_drawn(Arrivals(s, {k, 7}));
      EXPECT_EQ(Arrivals(s, {k, 7}).remaining(), part.size());
      parts.insert(parts.end(), part.begin(), part.end());
    }
    std::sort(parts.begin(), parts.end());
    EXPECT_EQ(parts, whole);
  }
}

TEST(Stages, OfPoissonArrivalsFollowTheCumulativeRate) {
  const Seed seed(1);
  Scenario s =
      in_stages(stages_of({"0/s:1s", "2000/s:10s", "2000/s..8000/s:10s", "8000/s..0/s:5s"}));
  s.client.arrivals = ArrivalProcess::poisson;
  s.seed = seed.value<std::int64_t>();
  const auto list = all_drawn(Arrivals(s));
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list.front().second, at(1s)) << "as soon as the rate is above 0";
  // Each second has as many as the rate says; seen through the cumulative rate gaps are of mean and
  // deviation 1, across the edges of stages, too.
  double start = 0, sum = 0, squares = 0, before = 0;
  std::size_t i = 0;
  Instant begin{};
  for (const Stage& stage : s.client.stages) {
    const std::size_t first = i;
    for (; i < list.size() && list[i].second < begin + stage.length; ++i) {
      const double area = start + area_until(stage, list[i].second - begin);
      if (i > 0) {
        EXPECT_GE(list[i].second, list[i - 1].second);
        sum += area - before;
        squares += (area - before) * (area - before);
      }
      before = area;
    }
    EXPECT_NEAR(static_cast<double>(i - first), area_of(stage), 5 * std::sqrt(area_of(stage)) + 1);
    start += area_of(stage);
    begin += stage.length;
  }
  EXPECT_EQ(i, list.size());
  const auto gaps = static_cast<double>(list.size() - 1);
  EXPECT_NEAR(sum / gaps, 1, 0.02);
  EXPECT_NEAR(std::sqrt(squares / gaps - (sum / gaps) * (sum / gaps)), 1, 0.02);
}

TEST(Stages, CarriedOnHoldTheRateTheyEndWith) {
  const Scenario even = carried_on(in_stages(stages_of({"5/s:1s", "7/s:1s"})), 9s);
  EXPECT_EQ(even.client.stages.back(), stage_of("7/s:8s"));
  const Scenario ramp = carried_on(in_stages(stages_of({"5/s..7/s:2s"})), 9s);
  ASSERT_EQ(ramp.client.stages.size(), 2U);
  EXPECT_EQ(ramp.client.stages.back(), stage_of("7/s:7s"));
  EXPECT_EQ(ramp.client.duration, 9s);
  EXPECT_EQ(length_of(ramp.client.stages), 9s);
}

TEST(Stages, SettleInTheLastOfThem) {
  Scenario s = in_stages(stages_of({"5/s:1s", "7/s:3s"}));
  EXPECT_EQ(last_stage_start(s), at(1s));
  EXPECT_EQ(settled_from(s), at(2s)) << "a third into it";
  s.settle = 500ms;
  EXPECT_EQ(settled_from(s), at(1s));
  s.settle = 3500ms;
  EXPECT_EQ(settled_from(s), at(3500ms));
}

}  // namespace
}  // namespace retrystorm
