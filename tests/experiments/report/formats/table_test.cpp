#include "experiments/report/formats/table.hpp"

#include "experiments/report/figure.hpp"
#include "experiments/report/tables.hpp"
#include "tests/experiments/report/made_up_tries.hpp"
#include "tests/experiments/report/wide.hpp"

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Line ends and runs of blanks made one blank.
std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += word + " ";
  return line;
}

// The first line that contains `part`.
std::string line_with(const std::string& text, const std::string& part) {
  for (const std::string& line : lines_of(text)) {
    if (line.find(part) != line.npos) return on_one_line(line);
  }
  return {};
}

TEST(ReportTable, ShowsPublishedBesideMeasuredAndSettled) {
  const std::string table = report_table(full_report(), "results/x", wide);
  const ArmReport arm = full_report().arms[1];
  ASSERT_TRUE(arm.published.has_value());
  const auto at = [&](const std::string& part) { return table.find(part); };
  EXPECT_LT(table.find("published", at("rate=1200")), at("whole run, 2 s"));
  EXPECT_LT(at("whole run, 2 s"), at("settled, 1 s"));
  EXPECT_THAT(line_with(table, "whole run, 2 s"),
              HasSubstr("1,000 1,234 0 1,000 0 92.5 % 100 - 58.0"));
  EXPECT_THAT(line_with(table, "settled, 1 s"), HasSubstr("1,000 1,000 100.0 % 0 1,000"));
}

TEST(ReportTable, HasAColumnOfUnsentRequestsWheneverThereAreAny) {
  EXPECT_THAT(report_table(full_report(), "", wide), Not(HasSubstr("unsent")));
  Report r = full_report();
  r.arms[1].measured->counts.unsent = 1193;
  const std::string table = report_table(r, "", wide);
  EXPECT_THAT(on_one_line(table), HasSubstr("attempts unsent rejected"));
  EXPECT_THAT(line_with(table, "whole run, 2 s"), HasSubstr("1,000 1,193 1,234 0 1,000"));
  EXPECT_THAT(on_one_line(table), HasSubstr("unsent requests that no attempt was made for"));
}

TEST(ReportTable, OfEveryFormatHasThatColumn) {
  Report r = full_report();
  const Figure only_one[] = {column("counts.offered")};
  const auto has_it = [](const Table& table) {
    return std::count(table.headings.begin(), table.headings.end(), "unsent") == 1;
  };
  EXPECT_FALSE(has_it(overview_table(r)) || has_it(figures_table(r, only_one)));
  r.arms[1].repeats.front().counts.unsent = 1;
  EXPECT_TRUE(has_it(overview_table(r)));
  EXPECT_TRUE(has_it(engines_table(r)));
  EXPECT_TRUE(has_it(figures_table(r, only_one)));
}

TEST(FigureText, KeepsADecimalOfARateBelowAThousand) {
  EXPECT_EQ(figure_text(FigureKind::rate, 228.57142857), "228.6");
  EXPECT_EQ(figure_text(FigureKind::rate, 229), "229");
  EXPECT_EQ(figure_text(FigureKind::rate, 24.5714), "24.6");
  EXPECT_EQ(figure_text(FigureKind::rate, 1234.5), "1,234");
  EXPECT_EQ(terminal_text(FigureKind::rate, 228.57142857), "228.6");
}

TEST(ReportTable, SaysThatAGoodputWhichOnlyTheOpeningHadDoesNotLast) {
  const std::string text = on_one_line(report_table(full_report(), "", wide));
  EXPECT_THAT(text, HasSubstr("does not last"));
  EXPECT_THAT(text, HasSubstr("rate=1200: 480 of 520 successes within 0.51 s, 40 after sending had "
                              "ended; settled 0/s, whole run 100/s, published 65/s"));
}

TEST(ReportTable, SaysNothingOfOpeningsWhereGoodputLasts) {
  const Report r = report_of(two_rates(), {tried("rate=1000", 0, 5), tried("rate=1200", 0, 6)});
  EXPECT_THAT(on_one_line(report_table(r, "", wide)), Not(HasSubstr("does not last")));
}

TEST(ReportTable, NamesWhatFailedAndWhy) {
  const std::string table = report_table(full_report(), "", wide);
  EXPECT_THAT(line_with(table, "rate=1000 "), HasSubstr("FAILED"));
  EXPECT_THAT(table, HasSubstr("! failed: the service was killed"));
}

TEST(ReportTable, PassesOnTheWarningsOfTheMeasuredTry) {
  EXPECT_THAT(report_table(full_report(), "", wide), HasSubstr("~ generator: connect() was slow"));
}

TEST(ReportTable, SaysThatItIsPartial) {
  const Report r = report_of(two_rates(), {tried("rate=1000", 0, 5)});
  const std::string table = report_table(r, "", wide);
  EXPECT_THAT(table, HasSubstr("PARTIAL"));
  EXPECT_THAT(line_with(table, "rate=1200"), HasSubstr("NOT RUN"));
}

TEST(ReportTable, ShowsTheSpreadOfRepeats) {
  std::vector<Try> tries;
  for (std::int64_t i = 0; i < 3; ++i) {
    tries.push_back(tried("rate=1000", i, 5));
    tries.back().repeats = 3;
    tries.back().tally.counts.rejected = 100.0 * static_cast<double>(i);
  }
  const std::string table = report_table(report_of(two_rates(), tries), "", wide);
  EXPECT_THAT(line_with(table, "low, of 3 trusted"), HasSubstr("1,000 5 0"));
  EXPECT_THAT(line_with(table, " high"), HasSubstr("1,000 195 0"));
}

// A report.json may come from anybody.
TEST(ReportTable, SendsNoControlCharactersOfAForeignReportToTheTerminal) {
  Report report = full_report();
  const std::string hostile = "\x1b[2J\n\xff";
  report.experiment += hostile;
  report.question += hostile;
  for (ArmReport& arm : report.arms) {
    arm.name += hostile;
    arm.reasons.push_back(hostile);
    for (Try& t : arm.tries) t.warnings.push_back(hostile);
  }
  const std::string text = report_table(report, "DIR", wide);
  EXPECT_EQ(text.find('\x1b'), text.npos);
  EXPECT_EQ(text.find('\xff'), text.npos);
  EXPECT_THAT(text, HasSubstr("\\x1b[2J\\x0a\\xff"));
}

TEST(ReportTable, FitsTheTerminal) {
  for (const std::size_t width : {60, 80, 100, 120}) {
    const std::string text = report_table(full_report(), "results/x", {false, width});
    for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), width) << line;
  }
}

TEST(ReportTable, NamesTheColumnsThatDoNotFit) {
  EXPECT_THAT(report_table(full_report(), "", wide), Not(HasSubstr("not shown")));
  const std::string text = report_table(full_report(), "", {});
  EXPECT_THAT(on_one_line(text),
              HasSubstr("not shown timed out, completed, throughput/s, ampl.: the "
                        "lines have 80 columns; COLUMNS=120 shows all"));
  EXPECT_THAT(line_with(text, "whole run, 2 s"), HasSubstr("1,000 1,234 0 92.5 % 100 58.0"));
  EXPECT_EQ(text.find("throughput/s"), text.rfind("throughput/s")) << "in the note alone";
}

TEST(ReportTable, IsColouredOnlyWhereThatIsAskedFor) {
  EXPECT_THAT(report_table(full_report(), "results/x", wide), Not(HasSubstr("\x1b")));
  EXPECT_THAT(report_table(full_report(), "", {true, 120}), HasSubstr("\x1b[31mFAILED"));
}

}  // namespace
}  // namespace retrystorm
