#include "experiments/report/budget_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

RunBudget run_of(bool trusted) {
  TryBudget one;
  one.arm = "rate=1200";
  one.try_number = 2;
  one.trusted = trusted;
  one.budget = error_budget(1000, 998, 999'000);
  one.slow = 2;
  return {"results/a", 999'000, 100ms, {one}};
}

TEST(BudgetText, SaysWhatIsAskedForAndHasARowForEachTry) {
  const std::string text = budget_text(run_of(true));
  EXPECT_THAT(text, HasSubstr("Error budget of results/a: 99.9% of the requests succeed within "
                              "100ms of their schedule\n"));
  EXPECT_THAT(text, HasSubstr("\nrate=1200    2     1000      998     2 "));
  EXPECT_THAT(text, HasSubstr("99.8000%        1         -1\n"));
  EXPECT_THAT(text, Not(HasSubstr("untrusted")));
}

TEST(BudgetText, NeverRoundsAShareUpToItsTarget) {
  RunBudget run = run_of(true);
  run.tries[0].budget = error_budget(10'000'000, 9'999'999, ppm);
  EXPECT_THAT(budget_text(run), HasSubstr("99.9999%        0         -1\n"));
}

TEST(BudgetText, NamesWhatIsNotTrusted) {
  EXPECT_THAT(budget_text(run_of(false)), HasSubstr("-1  untrusted\n"));
  EXPECT_THAT(budget_text(run_of(false)), HasSubstr("does not vouch for itself"));
}

}  // namespace
}  // namespace retrystorm
