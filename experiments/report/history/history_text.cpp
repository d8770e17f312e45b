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

// A figure of a past arm: its key in JSON and the heading of its column on the page and, with a
// width, on the terminal.
struct HistoryColumn {
  std::string_view key, heading, short_heading;
  std::size_t width;
  FigureKind kind;
  Count PastArm::*value;
};
constexpr HistoryColumn columns[] = {
    {"rate", "offered /s", "offered/s", 10, FigureKind::rate, &PastArm::rate},
    {"whole_goodput", "goodput /s, whole", "goodput/s", 12, FigureKind::rate,
     &PastArm::whole_goodput},
    {"settled_goodput", "settled", "settled", 12, FigureKind::rate, &PastArm::settled_goodput},
    {"throughput", "throughput /s", "throughput/s", 14, FigureKind::rate, &PastArm::throughput},
    {"abandoned_share", "abandoned", "abandoned", 12, FigureKind::share, &PastArm::abandoned_share},
    {"amplification", "amplification", "ampl.", 8, FigureKind::factor, &PastArm::amplification},
    {"median_ms", "median ms", "median ms", 11, FigureKind::milliseconds, &PastArm::median_ms},
};

std::string state_of(const PastArm& arm) {
  if (arm.trusted) return "trusted";
  return arm.status == "done" ? "untrusted" : arm.status;
}

Table runs_table(const std::vector<PastRun>& runs) {
  Table table;
  table.labels = 4;
  table.headings = {"run", "finished", "arm", ""};
  for (const HistoryColumn& column : columns) table.headings.emplace_back(column.heading);
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
      for (const HistoryColumn& column : columns) {
        row.cells.push_back({figure_text(column.kind, arm.*column.value), {}, {}});
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
    text += fmt::format("  {:<34}", "");
    for (const HistoryColumn& column : columns) {
      text += fmt::format("{:>{}}", column.short_heading, column.width);
    }
    text += "\n";
    for (const PastArm& arm : run.arms) {
      text += fmt::format("  {:<34}", printable(arm.name, 200));
      for (const HistoryColumn& column : columns) {
        text += fmt::format("{:>{}}", figure_text(column.kind, arm.*column.value), column.width);
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
      for (const HistoryColumn& column : columns)
        object[column.key] = json_number(arm.*column.value);
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
