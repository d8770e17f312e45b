#include "model/calculators/sizing.hpp"

#include "core/error.hpp"
#include "model/capacity/erlang_c.hpp"

#include <string_view>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::optional<double> figure(const Sizing& sizing, std::string_view name) {
  for (const SizingFigure& f : sizing.figures) {
    if (f.name == name) return f.value;
  }
  ADD_FAILURE() << "no figure " << name;
  return {};
}
Sizing size(Duration work, std::int64_t rate, std::int64_t share_ppm,
            std::optional<std::int64_t> workers = {}) {
  return size_workers({work, rate * 1'000'000, share_ppm, workers});
}

TEST(Sizing, OfTheWorkedExampleIsThePublishedOne) {
  EXPECT_EQ(size(40ms, 120, 750'000).workers_needed, 7);
  const Sizing eight = size(40ms, 120, 750'000, 8);
  EXPECT_EQ(figure(eight, "worker_rate"), 25);
  EXPECT_EQ(figure(eight, "ideal"), 200);
  EXPECT_EQ(figure(eight, "admitted"), 150);
  EXPECT_EQ(figure(eight, "safety_margin"), 50);
  EXPECT_EQ(figure(eight, "headroom"), 30);
  EXPECT_TRUE(eight.enough);
  EXPECT_THAT(to_text({40ms, 120'000'000, 750'000, 8}, eight),
              HasSubstr("ceil(120/s / (25/s x 75 %)) = ceil(6.4)"));
}

TEST(WorkersNeeded, AreExactWhereTheQuotientIsWhole) {
  EXPECT_EQ(size(40ms, 150, 750'000).workers_needed, 8);
  EXPECT_EQ(size(20ms, 1000, 1'000'000).workers_needed, 20);
  // 0.7 x 0.1 s x 7/s and the like are not whole in binary fractions.
  for (std::int64_t n = 1; n <= 3000; ++n) {
    EXPECT_EQ(size(100ms, 7 * n, 700'000).workers_needed, n);
    EXPECT_EQ(size_workers({100ms, 7'000'000 * n + 1, 700'000, {}}).workers_needed, n + 1);
  }
}

TEST(Headroom, OfTheLoadThatIsJustAdmittedIsNothing) {
  // 3 ms, 90 %: 300 n/s need n workers. In binary fractions 13 of them miss by 10^-12/s.
  for (std::int64_t n = 1; n <= 3000; ++n) {
    const Sizing exact = size(3ms, 300 * n, 900'000);
    ASSERT_EQ(exact.workers, n);
    ASSERT_EQ(figure(exact, "headroom"), 0) << n;
    ASSERT_EQ(figure(exact, "admitted"), 300 * n);
    ASSERT_EQ(figure(exact, "utilization"), 0.9);
  }
}

TEST(Waiting, OfALoadThatTakesAllWorkersHasNoAnswer) {
  for (std::int64_t n = 1; n <= 3000; ++n) {
    ASSERT_EQ(figure(size_workers({3ms, n * 1'000'000'000, 1'000'000, 3 * n}), "p_wait"),
              std::nullopt)
        << n;
  }
}

TEST(WorkersNeeded, ShowTheNumberThatIsRoundedUp) {
  const auto shown = [](std::int64_t rate_micro) {
    const SizingInput in{100ms, rate_micro, 1'000'000, {}};
    return to_text(in, size_workers(in));
  };
  EXPECT_THAT(shown(70'000'000), HasSubstr("ceil(70/s / (10/s x 100 %)) = ceil(7)"));
  EXPECT_THAT(shown(70'000'001),
              HasSubstr("8 workers  ceil(70.000001/s / (10/s x 100 %)) = ceil(7.0000001)"));
  EXPECT_THAT(shown(900'000'000'000'001), HasSubstr("ceil(90000000.0000001)"));
}

TEST(Sizing, WithTooFewWorkersSaysSo) {
  const Sizing six = size(40ms, 120, 750'000, 6);
  EXPECT_FALSE(six.enough);
  EXPECT_EQ(*figure(six, "headroom"), 112.5 - 120);
  EXPECT_TRUE(figure(six, "p_wait").has_value()) << "120 of 150/s: they still keep up";
  const Sizing four = size(40ms, 120, 750'000, 4);
  EXPECT_EQ(figure(four, "p_wait"), std::nullopt) << "120 of 100/s: no queue is long enough";
  EXPECT_TRUE(to_json({40ms, 120'000'000, 750'000, 4}, four)
                  .at("figures")
                  .at("p_wait")
                  .at("value")
                  .is_null());
}

TEST(Sizing, HasTheWaitingOfErlangC) {
  const Sizing eight = size(40ms, 120, 750'000, 8);
  EXPECT_DOUBLE_EQ(*figure(eight, "p_wait"), capacity::erlang_c(4.8, 8));
  EXPECT_DOUBLE_EQ(*figure(eight, "mean_wait"), 1000 * capacity::erlang_c(4.8, 8) / 80);
  EXPECT_DOUBLE_EQ(*figure(eight, "utilization"), 0.6);
}

TEST(Sizing, IsRefusedOutsideItsRanges) {
  EXPECT_THROW(size(0ms, 120, 750'000), InvalidInput);
  EXPECT_THROW(size(25h, 120, 750'000), InvalidInput);
  EXPECT_THROW(size(40ms, 0, 750'000), InvalidInput);
  EXPECT_THROW(size(40ms, 1'000'000'001, 750'000), InvalidInput);
  EXPECT_THROW(size(40ms, 120, 9'999), InvalidInput);
  EXPECT_THROW(size(40ms, 120, 1'000'001), InvalidInput);
  EXPECT_THROW(size(40ms, 120, 750'000, 0), InvalidInput);
  EXPECT_THROW(size(40ms, 120, 750'000, 1'000'001), InvalidInput);
  EXPECT_EQ(size(24h, 1'000'000'000, 10'000).workers_needed, 8'640'000'000'000'000)
      << "the largest of all is still exact";
}

}  // namespace
}  // namespace retrystorm
