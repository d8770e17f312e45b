#include "model/calculators/budget.hpp"

#include "core/error.hpp"
#include "core/json.hpp"

#include <string>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using ::testing::HasSubstr;

Budget budget_of(std::string_view text) {
  return error_budget(budget_input(parse_strict_json(text, "input"), "input"));
}

std::string budget_refusal(std::string_view text) {
  try {
    budget_of(text);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

constexpr std::string_view three_events = R"("events": [
  {"eligible": true, "ok": true, "latency_ms": 100},
  {"eligible": true, "ok": true, "latency_ms": 301},
  {"eligible": true, "ok": false, "latency_ms": 20}]})";

TEST(Budget, OfThreeEventsIsTheWorkedExample) {
  const Budget b = budget_of(fmt::format(R"({{"target_ppm": 900000, {})", three_events));
  EXPECT_EQ(b.total, 3);
  EXPECT_EQ(b.good, 1);
  EXPECT_EQ(b.bad, 2);
  EXPECT_EQ(b.allowed_bad, 0);
  EXPECT_EQ(b.remaining, -2);
  EXPECT_EQ(b.ratio, 1.0 / 3);
}

TEST(Budget, WithAnotherThresholdCountsTheSlowAsGood) {
  const Budget b =
      budget_of(fmt::format(R"({{"target_ppm": 900000, "latency_ms": 500, {})", three_events));
  EXPECT_EQ(b.good, 2);
  EXPECT_EQ(b.bad, 1);
  EXPECT_EQ(b.remaining, -1);
}

TEST(Budget, OfAHundredEventsAllowsOneAtNinetyNinePercent) {
  const Budget b = error_budget(100, 98, 990'000);
  EXPECT_EQ(b.allowed_bad, 1);
  EXPECT_EQ(b.remaining, -1);
}

TEST(Budget, OfAnEventAtTheThresholdCountsItGood) {
  const char* text =
      R"({{"target_ppm": 0, "events": [{{"eligible": true, "ok": {}, "latency_ms": {}}}]}})";
  EXPECT_EQ(budget_of(fmt::format(fmt::runtime(text), true, 300)).good, 1);
  EXPECT_EQ(budget_of(fmt::format(fmt::runtime(text), true, 301)).good, 0);
  EXPECT_EQ(budget_of(fmt::format(fmt::runtime(text), false, 301)).bad, 1)
      << "failed and slow: once";
}

TEST(Budget, OfNoEligibleEventHasNoRatio) {
  for (const char* events : {"", R"({"eligible": false, "ok": false, "latency_ms": 9000})"}) {
    const Budget b = budget_of(fmt::format(R"({{"target_ppm": 1000000, "events": [{}]}})", events));
    EXPECT_EQ(b.total, 0);
    EXPECT_EQ(b.ratio, std::nullopt);
    EXPECT_EQ(b.remaining, 0);
    EXPECT_TRUE(to_json(b).at("ratio").is_null());
  }
}

TEST(Budget, RoundsDownInIntegers) {
  // 0.1 % of these in binary fractions would be 0.99999... or 2.00000...1.
  EXPECT_EQ(error_budget(1000, 1000, 999'000).allowed_bad, 1);
  EXPECT_EQ(error_budget(999, 999, 999'000).allowed_bad, 0);
  EXPECT_EQ(error_budget(10'000'000, 0, 999'999).allowed_bad, 10);
  EXPECT_EQ(error_budget(7, 7, 0).allowed_bad, 7);
  EXPECT_EQ(error_budget(7, 7, 1'000'000).allowed_bad, 0);
  EXPECT_EQ(error_budget(9'000'000'000'000, 0, 0).allowed_bad, 9'000'000'000'000);
}

TEST(BudgetInput, IsRefusedWithTheFieldThatIsWrong) {
  const auto event = [](std::string_view fields) {
    return fmt::format(R"({{"target_ppm": 1, "events": [{{{}}}]}})", fields);
  };
  EXPECT_THAT(budget_refusal("[]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(budget_refusal(R"({"events": []})"), HasSubstr("target_ppm: is missing"));
  EXPECT_THAT(budget_refusal(R"({"target_ppm": 1})"), HasSubstr("events: is missing"));
  EXPECT_THAT(budget_refusal(R"({"target_ppm": 1, "events": {}})"),
              HasSubstr("events: must be a list"));
  EXPECT_THAT(budget_refusal(R"({"target_ppm": 1, "events": [3]})"),
              HasSubstr("events[0]: must be"));
  EXPECT_THAT(budget_refusal(R"({"target_ppm": 1, "latency": 5, "events": []})"),
              HasSubstr("latency: is not a field here"));
  for (const char* target : {"-1", "1000001", "1.0", "true", "\"1\"", "999e3", "null", "99.9"}) {
    EXPECT_THAT(budget_refusal(fmt::format(R"({{"target_ppm": {}, "events": []}})", target)),
                HasSubstr("target_ppm: must be an integer from 0 to 1000000"))
        << target;
  }
  for (const char* threshold : {"-1", "1.5", "false", "null"}) {
    EXPECT_THAT(budget_refusal(fmt::format(R"({{"target_ppm": 1, "latency_ms": {}, "events": []}})",
                                           threshold)),
                HasSubstr("input: latency_ms: must be"))
        << threshold;
  }
  EXPECT_THAT(budget_refusal(event(R"("ok": true, "latency_ms": 1)")),
              HasSubstr("events[0].eligible: is"));
  EXPECT_THAT(budget_refusal(event(R"("eligible": true, "latency_ms": 1)")),
              HasSubstr("[0].ok: is missing"));
  EXPECT_THAT(budget_refusal(event(R"("eligible": true, "ok": true)")),
              HasSubstr("latency_ms: is missing"));
  EXPECT_THAT(budget_refusal(event(R"("eligible": 1, "ok": true, "latency_ms": 1)")),
              HasSubstr("events[0].eligible: must be true or false"));
  EXPECT_THAT(budget_refusal(event(R"("eligible": false, "ok": "yes", "latency_ms": 1)")),
              HasSubstr("events[0].ok: must be true or false"));
  for (const char* latency : {"-1", "true", "1.0", "0.5", "\"3\"", "1e2"}) {
    EXPECT_THAT(budget_refusal(event(
                    fmt::format(R"("eligible": false, "ok": true, "latency_ms": {})", latency))),
                HasSubstr("events[0].latency_ms: must be"))
        << latency << ": also where the event does not count";
  }
}

TEST(BudgetInput, MayHaveMoreFieldsInItsEvents) {
  EXPECT_EQ(budget_of(R"({"target_ppm": 1, "events":
    [{"eligible": true, "ok": true, "latency_ms": 1, "route": "/"}]})")
                .good,
            1);
}

TEST(Target, IsAPercentageWithAtMostFourDecimals) {
  EXPECT_EQ(parse_percent("99.9%"), 999'000);
  EXPECT_EQ(parse_percent("100%"), 1'000'000);
  EXPECT_EQ(parse_percent("0%"), 0);
  EXPECT_EQ(parse_percent("99.9999%"), 999'999);
  for (const char* text : {"", "%", "99.9", "100.0001%", "101%", "99.99999%", "-1%", "1e1%",
                           "99,9%", "99.%", ".5%", "99.9 %", "nan%"}) {
    EXPECT_EQ(parse_percent(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace retrystorm
