// The formats: what they say, that they say it of the right figures, and that text stays text.
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
#include "experiments/report/layout.hpp"
#include "experiments/report/words/arms.hpp"
#include "experiments/report/words/phrases.hpp"
#include "experiments/report/words/words.hpp"
#include "tests/experiments/report/fixture.hpp"
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

std::string all_words(const Words& words) {
  std::string text = words.headline;
  for (const Paragraph& p : words.paragraphs) text += "\n" + p.text;
  return text;
}

// Made once: the small collapse, predicted and whole.
const fixture::Folder& collapse_folder() {
  static const fixture::Folder folder;
  return folder;
}
const Report& collapse() {
  // The workers are a quarter of a per cent slow: within trust, and something to be wrong about.
  static const Report report =
      fixture::make_run(collapse_folder().path(), {fixture::small_collapse(), true, [](const Arm&) {
                                                     fixture::Fate fate;
                                                     fate.slow_work = 1.0025;
                                                     return fate;
                                                   }});
  return report;
}

// A run in which things go wrong, with names chosen to hurt.
Report rough_run(const std::string& directory) {
  fixture::Run run;
  run.experiment = fixture::small_collapse();
  run.experiment.question = "<script>alert('question')</script>";
  run.experiment.matrix.pop_back();
  for (const char* arm : {"<script>alert(1)</script>", "</script><b>|`*_", "slow", "fine"}) {
    run.experiment.arms.push_back({arm, {}});
  }
  run.fate = [](const Arm& arm) {
    fixture::Fate fate;
    if (arm.name.starts_with("<script>")) {
      fate.status = TryStatus::failed;
      fate.failure = "the service exited with 3: </script><img src=x onerror=alert(2)>";
    } else if (arm.name.starts_with("</script>")) {
      fate.status = TryStatus::killed;
      fate.until = instant_at(std::chrono::seconds(1));
    } else if (arm.name.starts_with("slow")) {
      fate.slow_work = 1.03;
    }
    return fate;
  };
  return fixture::make_run(directory, run);
}

TEST(Words, SayTheCollapseItsCauseAndItsKnob) {
  const Words words = words_of(collapse());
  EXPECT_EQ(words.headline,
            "Past its limit the service kept working at full speed, for clients that had left.");
  const std::string text = all_words(words);
  EXPECT_THAT(text, HasSubstr("Offered 240/s, 1.2 times the 200/s that 4 workers can complete"));
  EXPECT_THAT(text, HasSubstr("Only the first 15 places are a useful queue"));
  EXPECT_THAT(text, HasSubstr("service.queue"));
  EXPECT_THAT(text, HasSubstr("Yes, all 4 arms."));
}

TEST(Words, PromiseNothingThatWasNotPredicted) {
  const fixture::Folder folder;
  fixture::Run run{fixture::small_collapse()};
  run.predicted = false;
  const Report report = fixture::make_run(folder.path(), run);
  const Words words = words_of(report);
  EXPECT_FALSE(words.advice);
  EXPECT_THAT(all_words(words), HasSubstr("What a change buys was not predicted in this run."));
  EXPECT_THAT(report_markdown(report, "DIR"), HasSubstr("Nothing was predicted in this run."));
}

TEST(Words, TellACureFromACollapse) {
  const fixture::Folder folder;
  fixture::Run run{fixture::small_collapse()};
  run.experiment.base.service.queue.reset();  // no longer than the client's patience
  const Words words = words_of(fixture::make_run(folder.path(), run));
  EXPECT_EQ(words.headline, "Past its limit the service refused the surplus and kept its goodput.");
  EXPECT_THAT(all_words(words), HasSubstr("The queue already fits the timeout"));
}

TEST(Words, DoNotVouchForWhatNoTrustedArmShows) {
  const fixture::Folder folder;
  fixture::Run run{fixture::small_collapse()};
  run.fate = [](const Arm&) {
    fixture::Fate fate;
    fate.slow_work = 1.03;
    return fate;
  };
  const Report report = fixture::make_run(folder.path(), run);
  const Words words = words_of(report);
  EXPECT_THAT(words.headline, ::testing::StartsWith("Not to be trusted: "));
  EXPECT_THAT(all_words(words), HasSubstr("No, none of the 4 arms."));
  EXPECT_EQ(trust_label(report), "not trusted");
}

// What a kill leaves unfinished is no failure of the service's.
TEST(Words, DoNotTakeACutForATroubledService) {
  const fixture::Folder folder;
  for (const ArmReport& arm : rough_run(folder.path()).arms) {
    if (arm.name == "</script><b>|`*_ rate=160") {
      ASSERT_EQ(arm.status, "killed");
      EXPECT_EQ(course_of(arm), Course::fine);
      return;
    }
  }
  FAIL() << "no killed arm";
}

// All are answered, but the last of them after the settled window.
TEST(Words, DoNotTakeAnOverloadThatWasTooShortForWorkInVain) {
  const fixture::Folder folder;
  fixture::Run run{fixture::small_collapse()};
  run.experiment.matrix.clear();
  run.experiment.base.client.rate = 240;
  run.experiment.base.client.duration = std::chrono::milliseconds(300);
  const Words words = words_of(fixture::make_run(folder.path(), run));
  EXPECT_EQ(words.headline, "Everything that was offered was answered in time.");
  EXPECT_THAT(all_words(words), HasSubstr("the run ended before its queue was full"));
}

TEST(Words, DoNotPlaceBelowTheLimitWhatIsPastIt) {
  Report report = collapse();
  std::erase_if(report.arms, [](const ArmReport& arm) { return arm.scenario.client.rate < 200; });
  for (ArmReport& arm : report.arms) arm.scenario.client.rate = 199;  // as if it had come in bursts
  EXPECT_EQ(words_of(report).headline,
            "Below its limit already the service kept working at full speed, for clients that had "
            "left.");
  for (ArmReport& arm : report.arms) {
    arm.measured->settled.abandoned_share = 0;  // other troubles
    arm.measured->counts.rejected = 0;
  }
  EXPECT_EQ(words_of(report).headline, "Not all that was offered was answered in time.");
}

// 22 losses of 2,000 are no "everything", wherever in the run they fell.
TEST(Words, CountTheLossesOfARunThatWentWell) {
  Report report = collapse();
  std::erase_if(report.arms, [](const ArmReport& arm) { return arm.scenario.client.rate > 200; });
  report.arms.resize(1);
  EXPECT_EQ(words_of(report).headline, "Everything that was offered was answered in time.");
  EXPECT_THAT(all_words(words_of(report)), HasSubstr("480 of 480 requests succeeded."));
  Tally& t = *report.arms[0].measured;
  t.counts.offered = 2000;
  t.counts.succeeded = 1978;
  t.counts.gave_up = 22;
  EXPECT_EQ(words_of(report).headline, "Of 2,000 requests 1,978 were answered in time.");
  EXPECT_THAT(all_words(words_of(report)), HasSubstr("1,978 of 2,000 requests succeeded."));
  EXPECT_THAT(all_words(words_of(report)), Not(HasSubstr("99 % of the requests")));
  report.arms.push_back(report.arms[0]);
  EXPECT_THAT(all_words(words_of(report)),
              HasSubstr("2 answered at least 99 % of their requests once settled"));
}

TEST(Words, SayAllOnlyOfAll) {
  EXPECT_EQ(share_words(1), "100 %");
  EXPECT_EQ(share_words(5979.0 / 6000), "99.65 %");
  EXPECT_EQ(share_words(0.999999), "99.99 %");
  EXPECT_EQ(share_words(0.00001), "under 0.01 %");
  EXPECT_EQ(share_words(0), "0 %");
  EXPECT_EQ(share_words(0.924), "92 %");
}

TEST(Words, SayThatNothingWasMeasured) {
  Report report;
  report.experiment = "empty";
  report.partial = true;
  EXPECT_EQ(words_of(report).headline, "Nothing was measured.");
  report.arms.emplace_back();
  EXPECT_EQ(words_of(report).headline, "Nothing was measured.");
  EXPECT_THAT(report_markdown(report, ""), HasSubstr("partial run"));
}

TEST(Layout, PutsLoadsSideBySideAndTheRestBelow) {
  const Layout layout = layout_of(collapse());
  EXPECT_THAT(layout.columns, ::testing::ElementsAre("160/s", "240/s"));
  ASSERT_EQ(layout.rows.size(), 2U);
  EXPECT_EQ(layout.rows[0].label, "retries=0");
  EXPECT_EQ(collapse().arms[*layout.rows[1].cells[1]].name, "rate=240 retries=2");
}

TEST(Html, ShowsOnlyFiguresOfTheReport) {
  const json::value report = to_json(collapse());
  const std::string page =
      report_text(collapse(), ReportFormat::html, collapse_folder().path(), false);
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
      report_text(collapse(), ReportFormat::html, collapse_folder().path(), false);
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
  const std::string page = report_text(report, ReportFormat::html, folder.path(), false);
  const std::string tame = report_text(collapse(), ReportFormat::html, folder.path(), false);
  EXPECT_EQ(occurrences(page, "<script"), occurrences(tame, "<script"));
  EXPECT_EQ(occurrences(page, "</script"), occurrences(tame, "</script"));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST(Html, ShowsWhatFailedWasKilledOrIsNotTrusted) {
  const fixture::Folder folder;
  const Report report = rough_run(folder.path());
  EXPECT_TRUE(report.partial);
  const std::string page = report_text(report, ReportFormat::html, folder.path(), false);
  EXPECT_THAT(page, HasSubstr("partial run"));
  EXPECT_THAT(page, HasSubstr("The run ended before every arm was measured."));
  EXPECT_THAT(page, HasSubstr("failed: the service exited with 3"));
  EXPECT_THAT(page, HasSubstr("the run was killed: what its ledgers hold up to then"));
  EXPECT_THAT(page, HasSubstr("is 3 % off the 20 ms drawn"));
}

TEST(Html, StandsWithoutALedger) {
  const fixture::Folder empty;
  const std::string page = report_text(collapse(), ReportFormat::html, empty.path(), false);
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

}  // namespace
}  // namespace retrystorm
