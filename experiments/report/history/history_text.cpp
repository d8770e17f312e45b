// Past runs for people and for machines.
#include "core/error.hpp"
#include "core/json.hpp"
#include "core/number_text.hpp"
#include "experiments/report/fitted_columns.hpp"
#include "experiments/report/formats/html_files.hpp"
#include "experiments/report/formats/html_text.hpp"
#include "experiments/report/history/history.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

std::string text_of(const PastArm& arm, std::size_t figure) {
  return figure_text(past_figures[figure].figure.kind, arm.figures[figure]);
}

constexpr std::size_t past_label_width = 36;

std::string narrow_heading_of(const PastFigure& column) {
  return column.short_heading.empty() ? narrow_heading(column.heading())
                                      : std::string(column.short_heading);
}

// Where there is no room for all, the rightmost of those that say least goes first.
FittedColumns past_columns_in(std::size_t width) {
  constexpr std::size_t leave[] = {0, 4, 0, 1, 5, 2, 3};
  static_assert(std::size(leave) == std::size(past_figures));
  std::vector<FittedColumn> columns;
  for (std::size_t i = 0; i < std::size(past_figures); ++i) {
    columns.push_back({narrow_heading_of(past_figures[i]), past_figures[i].width, leave[i]});
  }
  return fitted_columns(past_label_width, columns, width);
}

std::string state_of(const PastArm& arm) {
  if (arm.trusted) return "trusted";
  return arm.status == "done" ? "untrusted" : arm.status;
}

constexpr std::size_t change_width = 20;  // of its column on the terminal

// "+12 (+5.3 %)": goodput a second against the run before.
std::string change_text(const std::optional<PastChange>& change) {
  if (!change) return std::string(no_number);
  const bool none = std::abs(change->per_s) < 0.05;
  std::string text =
      none ? "0"
           : fmt::format("{}{}", change->per_s > 0 ? "+" : "-", rate_text(std::abs(change->per_s)));
  if (change->share && !none) text += fmt::format(" ({:+.1f} %)", 100 * *change->share);
  return text;
}

Table runs_table(const std::vector<PastRun>& runs) {
  Table table;
  table.labels = 4;
  table.headings = {"run", "finished", "arm", ""};
  for (const PastFigure& column : past_figures) table.headings.emplace_back(column.heading());
  table.headings.emplace_back("goodput /s against the run before");
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {  // the latest first
    TableRow row;
    row.first_of_group = true;
    row.cells = {{run->directory, {}, {}}, {utc_text(run->finished), {}, {}}};
    if (run->arms.empty()) {
      row.cells.resize(table.headings.size(), {"", {}, {}});
      row.cells[2].text = run->status;
      table.rows.push_back(std::move(row));
    }
    const auto index = static_cast<std::size_t>(runs.rend() - run) - 1;
    for (std::size_t a = 0; a < run->arms.size(); ++a) {
      const PastArm& arm = run->arms[a];
      row.cells.resize(2);
      row.cells.push_back({arm.name, {}, {}});
      row.cells.push_back({state_of(arm), {}, {}});
      for (std::size_t i = 0; i < arm.figures.size(); ++i) {
        row.cells.push_back({text_of(arm, i), {}, {}});
      }
      row.cells.push_back({change_text(change_of(runs, index, a)), {}, {}});
      table.rows.push_back(row);
      row.first_of_group = false;
      row.cells[0].text.clear();
      row.cells[1].text.clear();
    }
  }
  return table;
}

json::value change_json(const std::vector<PastRun>& runs, const std::optional<PastChange>& change) {
  if (!change) return nullptr;
  return {{"against", runs[change->before].directory},
          {"of", change->settled ? "settled_goodput" : "whole_goodput"},
          {"per_s", json_number(change->per_s)},
          {"share", json_number(change->share)}};
}

}  // namespace

std::string history_text(const std::vector<PastRun>& runs, std::size_t width) {
  const FittedColumns columns = past_columns_in(width);
  std::string text;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const PastRun& run = runs[r];
    text += fmt::format("{}  {}  ", utc_text(run.finished), printable(run.directory, 4000));
    if (run.arms.empty()) {
      text += printable(run.status, 400) + "\n";
      continue;
    }
    text += fmt::format("{}, {} of {} arms trusted\n", run.status, run.trusted(), run.arms.size());
    text += fmt::format("{:<{}}", "", past_label_width);
    for (std::size_t i = 0; i < std::size(past_figures); ++i) {
      if (!columns.shown[i]) continue;
      text += fmt::format("{:>{}}", narrow_heading_of(past_figures[i]), past_figures[i].width);
    }
    text += fmt::format("{:>{}}\n", "on the run before", change_width);
    for (std::size_t a = 0; a < run.arms.size(); ++a) {
      const PastArm& arm = run.arms[a];
      text += fmt::format("  {:<34}", printable(arm.name, 200));
      for (std::size_t i = 0; i < arm.figures.size(); ++i) {
        if (!columns.shown[i]) continue;
        text += fmt::format("{:>{}}", text_of(arm, i), past_figures[i].width);
      }
      text += fmt::format("{:>{}}", change_text(change_of(runs, r, a)), change_width);
      text += arm.trusted ? "\n" : fmt::format("  {}\n", state_of(arm));
    }
  }
  return text.empty() ? "no runs\n" : text + columns.note(width);
}

json::value to_json(const std::vector<PastRun>& runs) {
  json::array list;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const PastRun& run = runs[r];
    json::array arms;
    for (std::size_t a = 0; a < run.arms.size(); ++a) {
      const PastArm& arm = run.arms[a];
      json::object object{{"name", arm.name}, {"status", arm.status}, {"trusted", arm.trusted}};
      for (std::size_t i = 0; i < arm.figures.size(); ++i) {
        object[past_figures[i].name] = json_number(arm.figures[i]);
      }
      object["change"] = change_json(runs, change_of(runs, r, a));
      arms.push_back(std::move(object));
    }
    list.push_back({{"directory", run.directory},
                    {"finished", utc_text(run.finished)},
                    {"experiment", run.experiment},
                    {"question", run.question},
                    {"status", run.status},
                    {"arms", std::move(arms)}});
  }
  return list;
}

std::string history_html(const std::vector<PastRun>& runs, std::string_view folder) {
  const std::string data = script_escaped(json::serialize(to_json(runs)));
  return filled(
      html_files::history_page,
      {{"folder", html_escaped(folder)},
       {"uplot_css", std::string(html_files::uplot_css)},
       {"css", std::string(html_files::report_css)},
       {"table", html_table(runs_table(runs), "Past runs", false)},
       {"data", data},
       {"uplot_js", std::string(html_files::uplot_js)},
       {"scripts", std::string(html_files::charts_js) + std::string(html_files::history_js)}});
}

}  // namespace retrystorm
