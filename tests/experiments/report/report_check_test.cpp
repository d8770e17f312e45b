#include "experiments/report/report_check.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "tests/experiments/report/made_up_tries.hpp"

#include <boost/json/value.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::AllOf;
using testing::HasSubstr;

// Why a report is refused; empty if it is not.
std::string refusal(const Report& report) {
  try {
    checked_report(pretty_json(to_json(report)), "r.json");
    return {};
  } catch (const InvalidInput& error) {
    return error.what();
  }
}

// The same figure in the arm and in the try that it shows.
void set_everywhere(Report& report, Count Counts::*count, double value) {
  ArmReport& arm = report.arms.at(1);
  arm.measured.value().counts.*count = value;
  for (Tally& repeat : arm.repeats) repeat.counts.*count = value;
  for (Try& t : arm.tries) t.tally.counts.*count = value;
}

TEST(CheckedReport, IsOneThatARunWrites) {
  EXPECT_EQ(refusal(full_report()), "");
  EXPECT_EQ(pretty_json(to_json(checked_report(pretty_json(to_json(full_report())), "r"))),
            pretty_json(to_json(full_report())));
}

TEST(CheckedReport, HasNoFigureBelowZero) {
  Report report = full_report();
  set_everywhere(report, &Counts::attempts, -5);
  EXPECT_THAT(refusal(report), AllOf(HasSubstr("r.json: arm 'rate=1200', measured"),
                                     HasSubstr("counts.attempts is -5, below 0")));
}

TEST(CheckedReport, HasBooksThatBalance) {
  Report report = full_report();
  for (const auto count : {&Counts::gave_up, &Counts::unsent, &Counts::unfinished_requests}) {
    set_everywhere(report, count, 0);
  }
  EXPECT_THAT(refusal(report), HasSubstr("broken identity: offered = succeeded + gave_up"));
}

TEST(CheckedReport, TrustsNoArmAgainstItsReasons) {
  Report report = full_report();
  report.arms[0].trusted = true;
  EXPECT_THAT(refusal(report), HasSubstr("is trusted, and has reasons why not"));
  report.arms[0].reasons.clear();
  EXPECT_THAT(refusal(report), HasSubstr("the try that it shows is not"));
}

TEST(CheckedReport, ShowsTheFiguresOfItsTry) {
  Report report = full_report();
  report.arms[1].measured.value().request.p50 = 12.0;
  EXPECT_THAT(refusal(report), HasSubstr("latency_ms.request.p50 is another than the arm shows"));
  report = full_report();
  report.arms[1].measured_try = TryKey{"rate=1200", 9};
  EXPECT_THAT(refusal(report), HasSubstr("shows a try that is not there"));
}

}  // namespace
}  // namespace retrystorm
