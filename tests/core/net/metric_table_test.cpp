// One table gives sum, families, summary and witnesses; what is missing in it is found.
#include "core/net/metric_table.hpp"

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <prometheus/text_serializer.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

struct Counts {
  Counter done;
  Counter busy_ns;
  std::array<std::array<Counter, 2>, 2> ended;
  BucketCounts took;
  Counter inner;
};
struct Now {
  Counts counts;
  std::optional<std::int64_t> limit;
  BucketBounds bounds{1s, {1, 2}};
};

constexpr std::array<std::string_view, 2> sizes = {"small", "large"};
constexpr std::array<std::string_view, 2> ends = {"well", "badly"};
constexpr std::array<std::string_view, 2> end_counts = {"", "rejected"};

constexpr MetricRow<Now> done{.name = "done_total",
                              .help = "Done.",
                              .value = counted<Now, &Counts::done>(),
                              .witnesses = "completed",
                              .json = "done"};
constexpr MetricRow<Now> busy{.name = "busy_seconds_total",
                              .help = "Busy.",
                              .value = counted<Now, &Counts::busy_ns>(1e-9),
                              .labels = {MetricLabel("use", "useful", "taken")}};
constexpr MetricRow<Now> ended{
    .name = "ended_total",
    .help = "Ended.",
    .value = counted<Now, &Counts::ended>(),
    .labels = {MetricLabel("size", sizes), MetricLabel("end", ends, end_counts)}};
constexpr MetricRow<Now> took{
    .name = "took_seconds",
    .help = "Took.",
    .value = histogram<Now, &Counts::took>(
        [](const Now& now) -> const BucketBounds& { return now.bounds; })};
constexpr MetricRow<Now> inner{.value = counted<Now, &Counts::inner>(), .json = "inner"};
constexpr MetricRow<Now> limit{
    .name = "limit", .help = "Limit.", .value = derived<Now>(MetricKind::gauge, [](const Now& now) {
                                         return now.limit;
                                       })};
constexpr MetricRow<Now> idle{
    .name = "busy_seconds_total",
    .value = derived<Now>(MetricKind::counter, [](const Now&) { return 3s; }),
    .labels = {MetricLabel("use", "none")}};

constexpr MetricRow<Now> rows[] = {done, busy, ended, took, inner, limit, idle};

Counts some_counts() {
  const BucketBounds bounds{1s, {1, 2}};
  Counts c;
  c.done.add(1);
  c.busy_ns.add(1'500'000'000);
  c.ended[0][0].add(10), c.ended[0][1].add(20), c.ended[1][0].add(30), c.ended[1][1].add(40);
  c.took.add(bounds, 1500ms);
  c.inner.add(5);
  return c;
}

std::string scraped(const Now& now) {
  return prometheus::TextSerializer().Serialize(families_of<Now>(rows, now));
}

TEST(MetricTable, AddsUpEveryCellOfEveryThread) {
  Now now;
  add_up<Now>(rows, now.counts, some_counts());
  add_up<Now>(rows, now.counts, some_counts());
  EXPECT_EQ(now.counts.done, 2U);
  EXPECT_EQ(now.counts.busy_ns, 3'000'000'000U);
  EXPECT_EQ(now.counts.ended[0][1], 40U);
  EXPECT_EQ(now.counts.ended[1][1], 80U);
  EXPECT_EQ(now.counts.took.count(1), 2U);
  EXPECT_EQ(now.counts.took.sum(), 3'000'000'000U);
  EXPECT_EQ(now.counts.inner, 10U);
}

TEST(MetricTable, TellsPrometheusFamiliesInTheOrderTheirNamesCameFirst) {
  EXPECT_EQ(scraped({some_counts(), 7}), R"(# HELP done_total Done.
# TYPE done_total counter
done_total 1
# HELP busy_seconds_total Busy.
# TYPE busy_seconds_total counter
busy_seconds_total{use="useful"} 1.5
busy_seconds_total{use="none"} 3
# HELP ended_total Ended.
# TYPE ended_total counter
ended_total{size="small",end="well"} 10
ended_total{size="small",end="badly"} 20
ended_total{size="large",end="well"} 30
ended_total{size="large",end="badly"} 40
# HELP took_seconds Took.
# TYPE took_seconds histogram
took_seconds_count 1
took_seconds_sum 1.5
took_seconds_bucket{le="1"} 0
took_seconds_bucket{le="2"} 1
took_seconds_bucket{le="+Inf"} 1
# HELP limit Limit.
# TYPE limit gauge
limit 7
)");
}

TEST(MetricTable, HasSamplesOfEachPartInPlaceOfTheWholeOfWhatIsCounted) {
  Now whole{{}, 7};
  const MetricParts<Now> parts{"part", {Now{some_counts(), 7}, Now{some_counts(), 7}}};
  for (const Now& part : parts.parts) add_up<Now>(rows, whole.counts, part.counts);
  const std::string text =
      prometheus::TextSerializer().Serialize(families_of<Now>(rows, whole, parts));
  EXPECT_THAT(text, HasSubstr("done_total{part=\"0\"} 1\ndone_total{part=\"1\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ended_total{size=\"large\",end=\"badly\",part=\"1\"} 40\n"));
  EXPECT_THAT(text, HasSubstr("took_seconds_count{part=\"0\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nlimit 7\n")) << "what is derived stays whole";
  EXPECT_THAT(text, Not(HasSubstr("done_total 2")));
}

TEST(MetricTable, HasNoSampleWhereNoNumberIsTrue) {
  EXPECT_THAT(scraped({some_counts(), std::nullopt}), Not(HasSubstr("limit")));
}

TEST(MetricTable, HasNoSampleForACellWithoutAName) {
  static constexpr std::array<std::string_view, 2> one_end = {"", "badly"};
  const MetricRow<Now> row{.name = "ended_total",
                           .help = "Ended.",
                           .value = ended.value,
                           .labels = {MetricLabel("size", sizes), MetricLabel("end", one_end)}};
  const auto families = families_of<Now>(std::span(&row, 1), {some_counts(), 7});
  ASSERT_EQ(families[0].metric.size(), 2U);
  EXPECT_EQ(families[0].metric[1].label[0].value, "large");
  EXPECT_EQ(families[0].metric[1].counter.value, 40);
}

TEST(MetricTable, PutsCountsIntoASummaryAndSeveralCellsOneByOne) {
  struct Few {
    std::array<Counter, 2> ended;
  };
  struct FewNow {
    Few counts;
  };
  const MetricRow<FewNow> row{.name = "ended_total",
                              .help = "Ended.",
                              .value = counted<FewNow, &Few::ended>(),
                              .labels = {MetricLabel("size", "small"), MetricLabel("end", ends)},
                              .json = "ended"};
  Few few;
  few.ended[0].add(2), few.ended[1].add(3);
  boost::json::object summary;
  put_counts<Now>(summary, rows, some_counts());
  put_counts<FewNow>(summary, std::span(&row, 1), few);
  EXPECT_EQ(boost::json::serialize(summary),
            R"({"done":1,"inner":5,"ended":5,"ended_by_end":{"well":2,"badly":3}})");
}

TEST(MetricTable, SaysWhichMetricsAreCountsOfATally) {
  std::vector<std::string> told;
  for (const auto& [count, metric, label, value] : witnesses_of<Now>(rows)) {
    told.push_back(std::string(count) + ": " + std::string(metric) + " " + std::string(label) +
                   "=" + std::string(value));
  }
  EXPECT_THAT(
      told, testing::ElementsAre("completed: done_total =", "taken: busy_seconds_total use=useful",
                                 "rejected: ended_total end=badly"));
}

TEST(MetricTable, IsIncompleteWithoutARowOrLabelsThatFit) {
  static_assert(complete<Now>(rows));
  constexpr MetricRow<Now> without_inner[] = {done, busy, ended, took, limit};
  EXPECT_FALSE(complete<Now>(without_inner)) << "a count is never summed";
  constexpr MetricRow<Now> twice[] = {done, busy, ended, took, inner, inner};
  EXPECT_FALSE(complete<Now>(twice)) << "a count is summed twice";
  constexpr MetricRow<Now> half{.name = "ended_total",
                                .help = "Ended.",
                                .value = ended.value,
                                .labels = {MetricLabel("end", ends)}};
  constexpr MetricRow<Now> misfit[] = {done, busy, half, took, inner};
  EXPECT_FALSE(complete<Now>(misfit)) << "two labels for four cells";
}

}  // namespace
}  // namespace retrystorm
