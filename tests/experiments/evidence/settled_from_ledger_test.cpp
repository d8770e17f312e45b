#include "experiments/evidence/settled_from_ledger.hpp"

#include "tests/experiments/evidence/hand_made_ledger.hpp"
#include "tests/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using testing::HasSubstr;

class SettledFromLedger : public testing::Test {
 protected:
  MeasuredWindow window() {
    ledger_.write(directory_.path());
    import_ledgers(database_, key_, HandMadeLedger::token, scenario_, directory_.path());
    return settled_window_from_ledger(database_, key_, scenario_);
  }

  Scenario scenario_;  // 6 s in windows of 100 ms
  TemporaryDirectory directory_;
  Database database_ = open_ledger(directory_.file("run.sqlite"));
  TryKey key_{"arm", 0};
  HandMadeLedger ledger_;
};

TEST_F(SettledFromLedger, SeesGoodputOpenRequestsAndQueueOfEachWindow) {
  ledger_.served(0, 150 * ms, 100 * ms);  // half of it in each of two windows
  ledger_.arrivals.back().picked = HandMadeLedger::origin + 175 * ms;
  window();
  const WindowMeans means = window_means_from_ledger(database_, key_, windows_of(scenario_));
  EXPECT_DOUBLE_EQ(means.open[1], 0.5);
  EXPECT_DOUBLE_EQ(means.open[2], 0.5);
  EXPECT_DOUBLE_EQ(means.queue[1], 0.25);
  EXPECT_DOUBLE_EQ(means.queue[2], 0);
  EXPECT_DOUBLE_EQ(means.goodput_per_s[2], 10);
  EXPECT_DOUBLE_EQ(means.goodput_per_s[1], 0);
}

TEST_F(SettledFromLedger, OfAnEvenRunBeginsAtAThird) {
  for (std::uint64_t i = 0; i < 600; ++i) {
    ledger_.served(i, static_cast<std::int64_t>(i) * 10 * ms, 20 * ms);
  }
  const MeasuredWindow found = window();
  EXPECT_EQ(found.reason, "");
  EXPECT_EQ(found.from, instant_at(2s));
  EXPECT_EQ(found.to, instant_at(6s));
}

TEST_F(SettledFromLedger, LiesInTheLastStage) {
  scenario_.client.stages = {{"", 500'000, 500'000, 1s}, {"", 100'000, 100'000, 6s}};
  scenario_.client.duration = 7s;
  std::uint64_t request = 0;
  for (; request < 500; ++request) ledger_.served(request, std::int64_t(request) * 2 * ms, 20 * ms);
  for (std::int64_t i = 0; i < 600; ++i) {
    ledger_.served(request++, 1000 * ms + i * 10 * ms, 20 * ms);
  }
  const MeasuredWindow found = window();
  EXPECT_EQ(found.reason, "") << "what came before is no part of it";
  EXPECT_EQ(found.from, instant_at(3s));
  EXPECT_EQ(found.to, instant_at(7s));
  const Windows windows = windows_of(scenario_);
  EXPECT_EQ(windows.start, instant_at(1s));
  EXPECT_DOUBLE_EQ(window_means_from_ledger(database_, key_, windows).goodput_per_s[1], 100);
}

TEST_F(SettledFromLedger, IsNotThereWhileTheTimesGrow) {
  for (std::uint64_t i = 0; i < 600; ++i) {
    const auto n = static_cast<std::int64_t>(i);
    ledger_.served(i, n * 10 * ms, 20 * ms + n * ms / 2);
  }
  EXPECT_THAT(window().reason, HasSubstr("open requests still rises"));
}

TEST_F(SettledFromLedger, NeedsThirtyWindows) {
  scenario_.client.duration = 2s;
  EXPECT_EQ(window().reason, "20 windows of 100ms are too few, 30 take 3s");
}

}  // namespace
}  // namespace retrystorm
