#include "model/calculators/admission_walk.hpp"

#include "core/error.hpp"
#include "core/json.hpp"

#include <string>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string admit_text(std::string_view text) {
  std::string out;
  write_admission(admission_input(parse_strict_json(text, "input"), "input"),
                  [&](std::string_view piece) { out += piece; });
  return out;
}
json::object admit(std::string_view text) {
  return parse_strict_json(admit_text(text), "output").as_object();
}

std::string refusal(std::string_view text) {
  try {
    admit(text);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<std::string> texts(const json::value& list) {
  return json::value_to<std::vector<std::string>>(list);
}
std::vector<std::string> decisions(const json::object& out) {
  std::vector<std::string> result;
  for (const auto& step : out.at("trace").as_array()) {
    result.emplace_back(step.at("decision").as_string());
  }
  return result;
}
std::vector<std::int64_t> credits(const json::object& out) {
  std::vector<std::int64_t> result;
  for (const auto& step : out.at("trace").as_array())
    result.push_back(step.at("credits").as_int64());
  return result;
}
std::vector<std::string> completions(const json::object& out) {
  std::vector<std::string> result;
  for (const auto& c : out.at("completions").as_array()) {
    result.push_back(
        fmt::format("{}@{}", c.at("id").as_string().c_str(), c.at("at_ms").as_int64()));
  }
  return result;
}

std::string worked_example(int concurrency, int e_at_ms) {
  return fmt::format(R"({{"capacity": 2, "tokens_per_second": 2, "concurrency": {}, "requests": [
    {{"id": "a", "at_ms": 0, "cost": 1, "duration_ms": 500}},
    {{"id": "b", "at_ms": 0, "cost": 1, "duration_ms": 100}},
    {{"id": "c", "at_ms": 500, "cost": 2, "duration_ms": 100}},
    {{"id": "d", "at_ms": 600, "cost": 1, "duration_ms": 100}},
    {{"id": "e", "at_ms": {}, "cost": 1, "duration_ms": 100}},
    {{"id": "f", "at_ms": 1100, "cost": 3, "duration_ms": 100}}]}})",
                     concurrency, e_at_ms);
}

TEST(AdmissionWalk, OfTheWorkedExampleIsTheSpecifiedOne) {
  const json::object out = admit(worked_example(1, 1000));
  EXPECT_THAT(decisions(out), ElementsAre("accepted", "concurrency_limit", "accepted", "rate_limit",
                                          "accepted", "cost_exceeds_capacity"));
  EXPECT_THAT(credits(out), ElementsAre(1000, 1000, 0, 200, 0, 200));
  EXPECT_THAT(completions(out), ElementsAre("a@500", "c@600", "e@1100"));
  EXPECT_THAT(texts(out.at("pending_at_last_arrival")), IsEmpty());
  EXPECT_EQ(out.at("credits_at_last_arrival"), 200);
  const json::array& trace = out.at("trace").as_array();
  const auto active = [&](std::size_t i) { return texts(trace[i].at("active")); };
  const auto finished_now = [&](std::size_t i) { return texts(trace[i].at("finished_now")); };
  EXPECT_THAT(active(0), ElementsAre("a"));
  EXPECT_THAT(active(1), ElementsAre("a"));
  EXPECT_THAT(finished_now(1), IsEmpty());
  EXPECT_THAT(finished_now(2), ElementsAre("a"));
  EXPECT_THAT(active(2), ElementsAre("c"));
  EXPECT_THAT(finished_now(3), ElementsAre("c"));
  EXPECT_THAT(active(3), IsEmpty());
  EXPECT_THAT(finished_now(5), ElementsAre("e"));
  EXPECT_EQ(trace[3].at("id"), "d");
  EXPECT_EQ(trace[3].at("at_ms"), 600);
}

TEST(AdmissionWalk, AMillisecondEarlierLacksTwoCredits) {
  const json::object out = admit(worked_example(1, 999));
  EXPECT_EQ(decisions(out)[4], "rate_limit");
  EXPECT_EQ(credits(out)[4], 998);
}

TEST(AdmissionWalk, WithTwoPlacesAcceptsBAndLeavesCTooFewTokens) {
  const json::object out = admit(worked_example(2, 1000));
  EXPECT_EQ(decisions(out)[1], "accepted");
  EXPECT_EQ(decisions(out)[2], "rate_limit");
  EXPECT_EQ(credits(out)[2], 1000);
}

TEST(AdmissionWalk, OfNoRequestLeavesTheBucketFull) {
  const json::object out =
      admit(R"({"capacity": 7, "tokens_per_second": 1, "concurrency": 1, "requests": []})");
  EXPECT_THAT(out.at("trace").as_array(), IsEmpty());
  EXPECT_THAT(out.at("completions").as_array(), IsEmpty());
  EXPECT_EQ(out.at("credits_at_last_arrival"), 7000);
}

TEST(AdmissionWalk, ListsWhatStillRunsAtTheLastArrival) {
  const json::object out = admit(R"({"capacity": 9, "tokens_per_second": 1, "concurrency": 9,
    "requests": [{"id": "z", "at_ms": 5, "cost": 1, "duration_ms": 20},
                 {"id": "m", "at_ms": 5, "cost": 1, "duration_ms": 10},
                 {"id": "b", "at_ms": 15, "cost": 1, "duration_ms": 10},
                 {"id": "a", "at_ms": 15, "cost": 1, "duration_ms": 10}]})");
  EXPECT_THAT(texts(out.at("pending_at_last_arrival")), ElementsAre("a", "b", "z"));
  EXPECT_THAT(completions(out), ElementsAre("m@15", "a@25", "b@25", "z@25")) << "by time, then id";
  EXPECT_THAT(texts(out.at("trace").as_array()[2].at("finished_now")), ElementsAre("m"));
  EXPECT_THAT(texts(out.at("trace").as_array()[3].at("active")), ElementsAre("a", "b", "z"));
}

TEST(AdmissionWalk, NamesWhatFinishedBetweenTwoArrivals) {
  const json::object out = admit(R"({"capacity": 9, "tokens_per_second": 1, "concurrency": 9,
    "requests": [{"id": "x", "at_ms": 0, "cost": 1, "duration_ms": 30},
                 {"id": "y", "at_ms": 0, "cost": 1, "duration_ms": 20},
                 {"id": "w", "at_ms": 100, "cost": 1, "duration_ms": 1}]})");
  EXPECT_THAT(texts(out.at("trace").as_array()[2].at("finished_now")), ElementsAre("y", "x"));
}

TEST(AdmissionWalk, StaysExactWhereSixtyFourBitsEnd) {
  const std::string out = admit_text(R"({"capacity": 9223372036854775807,
    "tokens_per_second": 9223372036854775807, "concurrency": 9223372036854775807, "requests": [
    {"id": "all", "at_ms": 0, "cost": 9223372036854775807, "duration_ms": 9223372036854775807},
    {"id": "soon", "at_ms": 1, "cost": 9223372036854776, "duration_ms": 1},
    {"id": "next", "at_ms": 2, "cost": 9223372036854776, "duration_ms": 1},
    {"id": "late", "at_ms": 9223372036854775807, "cost": 1, "duration_ms": 9223372036854775807}]})");
  // A millisecond brings 2^63 - 1 credits, 193 too few for the second.
  EXPECT_THAT(out, HasSubstr(R"("decision": "accepted", "credits": 0, "active": ["all"])"));
  EXPECT_THAT(out, HasSubstr(R"("decision": "rate_limit", "credits": 9223372036854775807,)"));
  EXPECT_THAT(out, HasSubstr(R"("decision": "accepted", "credits": 9223372036854775614,)"));
  EXPECT_THAT(out, HasSubstr(R"("credits_at_last_arrival": 9223372036854775806000)"));
  EXPECT_THAT(out, HasSubstr(R"({"id": "all", "at_ms": 9223372036854775807})"));
  EXPECT_THAT(out, HasSubstr(R"({"id": "late", "at_ms": 18446744073709551614})"));
}

TEST(AdmissionWalk, TakesAnyIdThatIsText) {
  const json::object out = admit(
      "{\"capacity\": 9, \"tokens_per_second\": 1, \"concurrency\": 9, \"requests\": ["
      "{\"id\": \"\\u0000\\n\\\"\", \"at_ms\": 0, \"cost\": 1, \"duration_ms\": 9},"
      "{\"id\": \"\\uD83D\\uDE00\", \"at_ms\": 0, \"cost\": 1, \"duration_ms\": 9},"
      "{\"id\": \" \", \"at_ms\": 0, \"cost\": 1, \"duration_ms\": 9}]}");
  EXPECT_THAT(texts(out.at("pending_at_last_arrival")),
              ElementsAre(std::string("\0\n\"", 3), " ", "\xF0\x9F\x98\x80"));
}

std::string with_request(std::string_view fields) {
  return fmt::format(
      R"({{"capacity": 1, "tokens_per_second": 1, "concurrency": 1, "requests": [{{{}}}]}})",
      fields);
}

TEST(AdmissionInput, IsRefusedWithTheFieldThatIsWrong) {
  for (const char* value : {"0", "-1", "1.0", "1e3", "true", "\"5\"", "null", "[]", "{}", "1.5",
                            "9223372036854775808", "1e400"}) {
    const std::string at = fmt::format("with {}", value);
    EXPECT_THAT(
        refusal(fmt::format(
            R"({{"capacity": {}, "tokens_per_second": 1, "concurrency": 1, "requests": []}})",
            value)),
        HasSubstr("capacity: must be an integer from 1 to 9223372036854775807,"))
        << at;
    EXPECT_THAT(
        refusal(fmt::format(
            R"({{"capacity": 1, "tokens_per_second": {}, "concurrency": 1, "requests": []}})",
            value)),
        HasSubstr("tokens_per_second: must be"))
        << at;
    EXPECT_THAT(
        refusal(fmt::format(
            R"({{"capacity": 1, "tokens_per_second": 1, "concurrency": {}, "requests": []}})",
            value)),
        HasSubstr("concurrency: must be"))
        << at;
    EXPECT_THAT(refusal(with_request(
                    fmt::format(R"("id": "a", "at_ms": 0, "cost": {}, "duration_ms": 1)", value))),
                HasSubstr("requests[0].cost: must be"))
        << at;
    EXPECT_THAT(refusal(with_request(
                    fmt::format(R"("id": "a", "at_ms": 0, "cost": 1, "duration_ms": {})", value))),
                HasSubstr("requests[0].duration_ms: must be"))
        << at;
    if (std::string_view(value) != "0") {
      EXPECT_THAT(refusal(with_request(fmt::format(
                      R"("id": "a", "at_ms": {}, "cost": 1, "duration_ms": 1)", value))),
                  HasSubstr("requests[0].at_ms: must be"))
          << at;
    }
  }
  for (const char* id : {"\"\"", "7", "null", "true", "[\"a\"]"}) {
    EXPECT_THAT(refusal(with_request(
                    fmt::format(R"("id": {}, "at_ms": 0, "cost": 1, "duration_ms": 1)", id))),
                HasSubstr("requests[0].id: must be a string"))
        << id;
  }
  EXPECT_THAT(
      refusal(R"({"capacity": 1, "tokens_per_second": 1, "concurrency": 1, "requests": null})"),
      HasSubstr("requests: must be a list"));
  EXPECT_THAT(
      refusal(R"({"capacity": 1, "tokens_per_second": 1, "concurrency": 1, "requests": ["a"]})"),
      HasSubstr("requests[0]: must be a JSON object"));
}

TEST(AdmissionInput, IsRefusedWhereAFieldIsMissing) {
  for (const char* key : {"capacity", "tokens_per_second", "concurrency", "requests"}) {
    json::object top{
        {"capacity", 1}, {"tokens_per_second", 1}, {"concurrency", 1}, {"requests", json::array{}}};
    top.erase(key);
    EXPECT_THAT(refusal(json::serialize(top)), HasSubstr(fmt::format("{}: is missing", key)));
  }
  for (const char* key : {"id", "at_ms", "cost", "duration_ms"}) {
    json::object request{{"id", "a"}, {"at_ms", 0}, {"cost", 1}, {"duration_ms", 1}};
    request.erase(key);
    const json::object top{{"capacity", 1},
                           {"tokens_per_second", 1},
                           {"concurrency", 1},
                           {"requests", json::array{request}}};
    EXPECT_THAT(refusal(json::serialize(top)),
                HasSubstr(fmt::format("requests[0].{}: is missing", key)));
  }
}

TEST(AdmissionInput, IsRefusedWhereRequestsContradictEachOther) {
  const auto two = [](std::string_view id, std::string_view at_ms) {
    return with_request(fmt::format(
        R"("id": "a", "at_ms": 5, "cost": 1, "duration_ms": 1}}, {{"id": "{}", "at_ms": {}, "cost": 1, "duration_ms": 1)",
        id, at_ms));
  };
  EXPECT_EQ(refusal(two("b", "5")), "accepted");
  EXPECT_THAT(refusal(two("b", "4")),
              HasSubstr("requests[1].at_ms: runs backwards: it must be at least 5"));
  EXPECT_THAT(refusal(two("a", "5")), HasSubstr("requests[1].id: is taken by an earlier request"));
  EXPECT_THAT(refusal(two("\\u0061", "5")), HasSubstr("is taken")) << "another spelling of a";
}

TEST(AdmissionInput, MayHaveMoreFieldsWhichAreIgnored) {
  EXPECT_EQ(
      refusal(with_request(R"("id": "a", "at_ms": 0, "cost": 1, "duration_ms": 1, "user": {})")),
      "accepted");
}

}  // namespace
}  // namespace retrystorm
