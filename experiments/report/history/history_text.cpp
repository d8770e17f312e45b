// Past runs for people and for machines.
#include "core/error.hpp"
#include "core/json.hpp"
#include "experiments/report/formats/html_files.hpp"
#include "experiments/report/formats/html_text.hpp"
#include "experiments/report/history/history.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

constexpr Figure columns[] = {
    {"rate", "offered /s", FigureKind::rate},
    {"whole_goodput", "goodput /s, whole", FigureKind::rate},
    {"settled_goodput", "settled", FigureKind::rate},
    {"throughput", "throughput /s", FigureKind::rate},
    {"abandoned_share", "abandoned", FigureKind::share},
    {"amplification", "amplification", FigureKind::factor},
    {"median_ms", "median ms", FigureKind::milliseconds},
};

// The figures of an arm in the order of the columns.
std::array<Count, std::size(columns)> figures_of(const PastArm& arm) {
  return {arm.rate,       arm.whole_goodput,   arm.settled_goodput,
          arm.throughput, arm.abandoned_share, arm.amplification,
          arm.median_ms};
}

std::string state_of(const PastArm& arm) {
  if (arm.trusted) return "trusted";
  return arm.status == "done" ? "untrusted" : arm.status;
}

Table runs_table(const std::vector<PastRun>& runs) {
  Table table;
  table.labels = 4;
  table.headings = {"run", "finished", "arm", ""};
  for (const Figure& column : columns) table.headings.emplace_back(column.heading);
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {  // the latest first
    TableRow row;
    row.first_of_group = true;
    row.cells = {{run->directory, {}, {}}, {utc_text(run->finished), {}, {}}};
    if (run->arms.empty()) {
      row.cells.resize(table.headings.size(), {"", {}, {}});
      row.cells[2].text = run->status;
      table.rows.push_back(std::move(row));
    }
    for (const PastArm& arm : run->arms) {
      row.cells.resize(2);
      row.cells.push_back({arm.name, {}, {}});
      row.cells.push_back({state_of(arm), {}, {}});
      const auto figures = figures_of(arm);
      for (std::size_t i = 0; i < figures.size(); ++i) {
        row.cells.push_back({figure_text(columns[i].kind, figures[i]), {}, {}});
      }
      table.rows.push_back(row);
      row.first_of_group = false;
      row.cells[0].text.clear();
      row.cells[1].text.clear();
    }
  }
  return table;
}

}  // namespace

std::string history_text(const std::vector<PastRun>& runs) {
  std::string text;
  for (const PastRun& run : runs) {
    text += fmt::format("{}  {}  ", utc_text(run.finished), printable(run.directory, 4000));
    if (run.arms.empty()) {
      text += printable(run.status, 400) + "\n";
      continue;
    }
    text += fmt::format("{}, {} of {} arms trusted\n", run.status, run.trusted(), run.arms.size());
    text += fmt::format("  {:<34}{:>10}{:>12}{:>12}{:>14}{:>12}{:>8}{:>11}\n", "", "offered/s",
                        "goodput/s", "settled", "throughput/s", "abandoned", "ampl.", "median ms");
    for (const PastArm& arm : run.arms) {
      const auto figures = figures_of(arm);
      constexpr std::array<std::size_t, std::size(columns)> widths = {10, 12, 12, 14, 12, 8, 11};
      text += fmt::format("  {:<34}", printable(arm.name, 200));
      for (std::size_t i = 0; i < figures.size(); ++i) {
        const std::string cell =
            figures[i] ? figure_text(columns[i].kind, figures[i]) : std::string("-");
        text += fmt::format("{:>{}}", cell, widths[i]);
      }
      text += arm.trusted ? "\n" : fmt::format("  {}\n", state_of(arm));
    }
  }
  return text.empty() ? "no runs\n" : text;
}

json::value to_json(const std::vector<PastRun>& runs) {
  json::array list;
  for (const PastRun& run : runs) {
    json::array arms;
    for (const PastArm& arm : run.arms) {
      json::object object{{"name", arm.name}, {"status", arm.status}, {"trusted", arm.trusted}};
      const auto figures = figures_of(arm);
      for (std::size_t i = 0; i < figures.size(); ++i) {
        object[{columns[i].path.data(), columns[i].path.size()}] = json_number(figures[i]);
      }
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
