#include "core/json.hpp"
#include "model/advice.hpp"
#include "model/markov/metastable.hpp"
#include "model/settled/fixed_points.hpp"
#include "model/sweep.hpp"

#include <limits>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

TEST(AnswersJson, OfAdviceHasEachChangeAndNullWhereTheEngineRefused) {
  Advice advice;
  advice.useful_queue = 79;
  advice.queue = 100;
  advice.beyond = 21;
  advice.goodput_per_s = 0.5;
  advice.changes = {{"service.queue", "100", "79", "the useful queue", 990.0, 989.5, true},
                    {"client.abandon", "never", "close", "leave", {}, 0, {}}};
  advice.second_state = SecondState{2800, 12.5, 300};
  advice.text = "All of it.";
  EXPECT_EQ(to_json(advice), parse_json(R"({
    "useful_queue": 79, "queue": 100, "beyond": 21, "goodput_per_s": 0.5,
    "changes": [
      {"field": "service.queue", "from": "100", "to": "79", "why": "the useful queue",
       "goodput_per_s": 990, "gain_per_s": 989.5, "removes_second_state": true},
      {"field": "client.abandon", "from": "never", "to": "close", "why": "leave",
       "goodput_per_s": null, "gain_per_s": 0, "removes_second_state": null}],
    "second_state": {"attempts_per_s": 2800, "goodput_per_s": 12.5, "from_per_s": 300},
    "text": "All of it."})",
                                        "expected"));
}

TEST(AnswersJson, NameTheEndsOfFoldsTheTimesAndTheKnee) {
  EXPECT_EQ(to_json(Folds{{990, 1}, {420.5, 2}}),
            parse_json(R"({"good_state_ends_per_s": 990, "bad_state_from_per_s": 420.5})", "e"));
  EXPECT_EQ(
      to_json(MetastableTimes{1.5, std::numeric_limits<double>::infinity(), 7, {"fixed work"}}),
      parse_json(R"({"collapse_s": 1.5, "recover_s": null, "approximations": ["fixed work"]})",
                 "e"));
  EXPECT_EQ(to_json(Knee{1000, 995.25}),
            parse_json(R"({"rate": 1000, "goodput_per_s": 995.25})", "e"));
}

}  // namespace
}  // namespace retrystorm
