// The real program against a service that fails on purpose: the very attempts fail that fail in the
// simulation, so that counts can be compared one by one. The timeout is one that nothing reaches,
// whatever the machine does.
#include "model/simulate/simulate.hpp"
#include "tests/experiments/verbs/end_to_end.hpp"

#include <string>

namespace retrystorm {
namespace {

class FailingProgram : public RealProgram {
 protected:
  // A run of the arms, whose service is never busy.
  Report run_arms(const std::string& arms) {
    const std::string file = directory_.write(
        "e.toml",
        "[experiment]\nname = \"failing\"\n[service]\nworkers = 50\nwork = \"2ms\"\nqueue = 200\n"
        "[client]\nrate = 200\nduration = \"1s\"\ntimeout = \"20s\"\n" +
            arms);
    const std::string out = directory_.file("run");
    const int code = execute({"run", file, "--out", out, "--more-tries", "0"});
    EXPECT_THAT(code, testing::AnyOf(0, 3)) << error_;  // 3: the machine was too busy
    return report_in(out);
  }
};

TEST_F(FailingProgram, IsFailedExactlyWhereTheSimulationIs) {
  const Report report = run_arms(
      "retries = 2\n"
      "[[arm]]\nname = \"at once\"\nservice.fail_rate = 0.4\n"
      "[[arm]]\nname = \"linear backoff\"\nservice.fail_rate = 0.4\nclient.backoff = \"5ms\"\n"
      "client.backoff_shape = \"linear\"\n"
      "[[arm]]\nname = \"status 500\"\nservice.fail_rate = 0.4\nservice.fail_status = 500\n"
      "[[arm]]\nname = \"status 500, retried\"\nservice.fail_rate = 0.4\n"
      "service.fail_status = 500\nclient.retry_statuses = [\"500\"]\n");
  ASSERT_EQ(report.arms.size(), 4U);
  for (const ArmReport& arm : report.arms) {
    SCOPED_TRACE(arm.name);
    ASSERT_TRUE(arm.measured);
    const Counts& live = arm.measured->counts;
    const Counts simulated = simulate(arm.scenario).counts;
    EXPECT_GT(*live.refused, 0);
    for (Count Counts::*count :
         {&Counts::offered, &Counts::succeeded, &Counts::gave_up, &Counts::attempts,
          &Counts::rejected, &Counts::failed_status, &Counts::refused, &Counts::completed}) {
      EXPECT_EQ(live.*count, simulated.*count);
    }
    for (const Try& t : arm.tries) EXPECT_EQ(t.reconciliation.at("contradiction"), 0U);
  }
  EXPECT_EQ(report.arms[0].measured->counts.attempts, report.arms[3].measured->counts.attempts);
  EXPECT_EQ(report.arms[2].measured->counts.attempts, report.arms[2].measured->counts.offered);
}

TEST_F(FailingProgram, MakesNoMoreRetriesThanItsBudgetHasTokens) {
  const Report report = run_arms(
      "retries = 3\nbudget = \"token-bucket\"\nbudget_tokens = 7\nbudget_deposit = 0\n"
      "[[arm]]\nname = \"bucket\"\nservice.fail_rate = 0.9\n");
  ASSERT_EQ(report.arms.size(), 1U);
  ASSERT_TRUE(report.arms[0].measured);
  const Counts& counts = report.arms[0].measured->counts;
  EXPECT_EQ(*counts.attempts - *counts.offered, 7);
}

}  // namespace
}  // namespace retrystorm
