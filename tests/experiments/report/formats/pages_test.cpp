// The formats: what they say, that they say it of the right figures, and that text stays text.
#include "core/csv_field.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "core/scenario_toml.hpp"
#include "core/version.hpp"
#include "experiments/evidence/run_directory.hpp"
#include "experiments/report/formats/csv.hpp"
#include "experiments/report/formats/format.hpp"
#include "experiments/report/formats/html_files.hpp"
#include "experiments/report/formats/html_text.hpp"
#include "experiments/report/formats/markdown.hpp"
#include "tests/experiments/report/made_up_runs.hpp"
#include "tests/experiments/report/wide.hpp"
#include "tests/places.hpp"

#include <cstdlib>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t occurrences(std::string_view text, std::string_view of) {
  std::size_t n = 0;
  for (std::size_t at = text.find(of); at != text.npos; at = text.find(of, at + 1)) ++n;
  return n;
}

TEST(Html, ShowsOnlyFiguresOfTheReport) {
  const json::value report = to_json(collapse());
  const std::string page =
      report_text(collapse(), ReportFormat::html, collapse_folder().path(), wide);
  std::size_t checked = 0;
  constexpr std::string_view mark = "data-path=\"";
  for (std::size_t at = page.find(mark); at != page.npos; at = page.find(mark, at + 1)) {
    const std::size_t path_end = page.find('"', at + mark.size());
    const std::string path = page.substr(at + mark.size(), path_end - at - mark.size());
    constexpr std::string_view value_mark = "\" data-value=\"";
    ASSERT_EQ(page.compare(path_end, value_mark.size(), value_mark), 0);
    const double shown = std::strtod(page.c_str() + path_end + value_mark.size(), nullptr);
    std::string pointer = "/" + path;
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    json::error_code error;
    const json::value* value = report.find_pointer(pointer, error);
    ASSERT_TRUE(value) << path;
    ASSERT_TRUE(value->is_number()) << path;
    EXPECT_EQ(value->to_number<double>(), shown) << path;
    ++checked;
  }
  EXPECT_GT(checked, 300U);
}

TEST(Html, FetchesNothing) {
  const std::string page =
      report_text(collapse(), ReportFormat::html, collapse_folder().path(), wide);
  EXPECT_THAT(page, Not(HasSubstr(" src=")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(Html, CarriesTheVendoredChartLibraryUnchanged) {
  const std::string vendor = source_path("dashboards/vendor/uplot/");
  EXPECT_EQ(html_files::uplot_js, read_file(vendor + "uPlot.iife.min.js"));
  EXPECT_EQ(html_files::uplot_css, read_file(vendor + "uPlot.min.css"));
}

TEST(Html, KeepsHostileNamesAndReasonsAsText) {
  const fixture::Folder folder;
  const Report report = rough_run(folder.path());
  const std::string page = report_text(report, ReportFormat::html, folder.path(), wide);
  const std::string tame = report_text(collapse(), ReportFormat::html, folder.path(), wide);
  EXPECT_EQ(occurrences(page, "<script"), occurrences(tame, "<script"));
  EXPECT_EQ(occurrences(page, "</script"), occurrences(tame, "</script"));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST(Html, ShowsWhatFailedWasKilledOrIsNotTrusted) {
  const fixture::Folder folder;
  const Report report = rough_run(folder.path());
  EXPECT_TRUE(report.partial);
  const std::string page = report_text(report, ReportFormat::html, folder.path(), wide);
  EXPECT_THAT(page, HasSubstr("partial run"));
  EXPECT_THAT(page, HasSubstr("Not every arm was measured to its end."));
  EXPECT_THAT(page, HasSubstr("failed: the service exited with 3"));
  EXPECT_THAT(page, HasSubstr("the run was killed: what its ledgers hold up to then"));
  EXPECT_THAT(page, HasSubstr("is 3 % off the 20 ms drawn"));
}

TEST(Html, StandsWithoutALedger) {
  const fixture::Folder empty;
  const std::string page = report_text(collapse(), ReportFormat::html, empty.path(), wide);
  EXPECT_THAT(page, HasSubstr("The ledger of this run is not at hand"));
  EXPECT_FALSE(std::filesystem::exists(empty.path() + "/run.sqlite"));
}

TEST(HtmlText, LinksWholeWordsToTheirMeaning) {
  EXPECT_EQ(html_with_terms("Goodput fell."),
            "<a class=\"term\" href=\"#term-goodput\">Goodput</a> fell.");
  EXPECT_THAT(html_with_terms("client.timeout"), Not(HasSubstr("<a")));
  EXPECT_EQ(occurrences(html_with_terms("goodput, goodput"), "<a"), 1U);
  EXPECT_THAT(html_with_terms("the abandoned share"), HasSubstr("#term-abandoned-share"));
}

TEST(HtmlText, PutsSlotsInOnce) {
  EXPECT_EQ(filled("a {{x}} b", {{"x", "{{x}}"}}), "a {{x}} b");
}

TEST(Markdown, IsTheGoldenOne) {
  std::string text = report_markdown(collapse(), "results/small-collapse");
  const std::string written = fmt::format("retrystorm {}", version());
  for (std::size_t at = text.find(written); at != text.npos; at = text.find(written)) {
    text.replace(at, written.size(), "retrystorm VERSION");
  }
  const std::string golden = source_path("tests/experiments/report/formats/golden.md");
  if (std::getenv("RETRYSTORM_UPDATE_GOLDEN")) write_whole(golden, text);
  EXPECT_EQ(text, read_file(golden))
      << "if the change is meant: RETRYSTORM_UPDATE_GOLDEN=1 and review the diff of " << golden;
}

TEST(Markdown, KeepsHostileNamesAsText) {
  const fixture::Folder folder;
  const std::string text = report_markdown(rough_run(folder.path()), folder.path());
  EXPECT_EQ(text.find("<script"), text.find("\\<script") + 1);
  EXPECT_THAT(text, HasSubstr("\\|\\`\\*\\_"));
}

TEST(Csv, HasOneColumnAFigureAndOneLineASource) {
  const std::string text = report_csv(collapse());
  const std::size_t header_end = text.find("\r\n");
  const std::string header = text.substr(0, header_end);
  EXPECT_THAT(header, ::testing::StartsWith(
                          "arm,source,trusted,client.rate,client.retries,counts.offered"));
  std::size_t lines = 1;
  for (const ArmReport& arm : collapse().arms) lines += predictions(arm).size() + 1;
  EXPECT_EQ(occurrences(text, "\r\n"), lines);
  std::size_t at = header_end + 2;
  while (at < text.size()) {
    const std::size_t end = text.find("\r\n", at);
    EXPECT_EQ(occurrences(text.substr(at, end - at), ","), occurrences(header, ","));
    at = end + 2;
  }
}

TEST(Csv, QuotesWhatMustBe) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
}

TEST(Csv, HasNoCellThatASpreadsheetWouldRun) {
  EXPECT_EQ(csv_field("=1+1"), "\"'=1+1\"");
  EXPECT_EQ(csv_field("@SUM(A1)"), "\"'@SUM(A1)\"");
  EXPECT_EQ(csv_field("+cmd|' /C calc'!A0"), "\"'+cmd|' /C calc'!A0\"");
  EXPECT_EQ(csv_field("-2+3"), "\"'-2+3\"");
  EXPECT_EQ(csv_field("\t=1"), "\"'\t=1\"");
  EXPECT_EQ(csv_field("\r=1"), "\"'\r=1\"");
  EXPECT_EQ(csv_field("=\"a\",1"), "\"'=\"\"a\"\",1\"");
}

TEST(Csv, LeavesNumbersNumbers) {
  for (const char* number : {"-5", "-0.25", "12", "0"}) EXPECT_EQ(csv_field(number), number);
  EXPECT_EQ(csv_field("a=b"), "a=b");
  EXPECT_EQ(csv_field(""), "");
}

TEST(Csv, DefusesTheNameOfAnArm) {
  Report report = collapse();
  report.arms.front().name = "=HYPERLINK(\"http://evil.example\")";
  const std::string text = report_csv(report);
  EXPECT_THAT(text, HasSubstr("\r\n\"'=HYPERLINK("));
  EXPECT_EQ(text.find("\r\n="), text.npos);
  EXPECT_EQ(text.find("\r\n\"="), text.npos);
}

}  // namespace
}  // namespace retrystorm
