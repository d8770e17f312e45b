#include "experiments/report/tables.hpp"

#include "core/fields.hpp"
#include "core/number_text.hpp"
#include "experiments/report/layout.hpp"

#include <algorithm>
#include <cmath>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

bool any_unsent(const ArmReport& arm) {
  const auto has = [](const Tally& tally) { return tally.counts.unsent.value_or(0) > 0; };
  const auto all = predictions(arm);
  return (arm.measured && has(*arm.measured)) || (arm.published && has(arm.published->tally)) ||
         std::any_of(arm.repeats.begin(), arm.repeats.end(), has) ||
         std::any_of(all.begin(), all.end(), [&](const Prediction& p) { return has(*p.tally); });
}

bool any_unsent(const Report& report) {
  return std::any_of(report.arms.begin(), report.arms.end(),
                     [](const ArmReport& arm) { return any_unsent(arm); });
}

std::vector<Figure> overview(const Report& report) {
  std::vector<Figure> figures;
  for (const OverviewFigure& one : overview_columns(report)) figures.push_back(one.figure);
  return figures;
}

std::string arm_path(std::size_t index, std::string_view inner) {
  return fmt::format("arms.{}.{}", index, inner);
}

Cell figure_cell(const Tally& tally, const Figure& figure, const std::string& path) {
  const Count value = figure_at(tally, figure.path);
  return {figure_text(figure.kind, value),
          value ? fmt::format("{}.{}", path, figure.path) : std::string(), value};
}

TableRow tally_row(std::string arm, std::string source, const Tally& tally,
                   std::span<const Figure> figures, const std::string& path, TableRow::Kind kind) {
  TableRow row;
  row.kind = kind;
  row.cells = {{std::move(arm), {}, {}}, {std::move(source), {}, {}}};
  for (const Figure& figure : figures) row.cells.push_back(figure_cell(tally, figure, path));
  return row;
}

TableRow empty_row(const ArmReport& arm, std::size_t figures) {
  TableRow row;
  row.cells = {{arm.name, {}, {}}, {arm.status == "not_run" ? "not run" : arm.status, {}, {}}};
  row.cells.resize(2 + figures, {std::string(no_number), {}, {}});
  return row;
}

std::string measured_label(const ArmReport& arm) {
  if (arm.trusted) return "measured";
  if (arm.status == "done") return "measured, untrusted";
  return fmt::format("measured, {}", arm.status);
}

// The interval over the trusted repeats, as one row: "78 to 81".
TableRow spread_row(const ArmReport& arm, std::span<const Figure> figures) {
  TableRow row;
  row.kind = TableRow::Kind::measured;
  row.cells = {{"", {}, {}}, {"range of repeats", {}, {}}};
  for (const Figure& figure : figures) {
    const auto found = arm.measured->spread.find(std::string(figure.path));
    const bool known = found != arm.measured->spread.end();
    row.cells.push_back({known
                             ? fmt::format("{} to {}", figure_text(figure.kind, found->second.low),
                                           figure_text(figure.kind, found->second.high))
                             : std::string(),
                         {},
                         {}});
  }
  return row;
}

// Which predictions a table shows: the one that is drawn, the simulation's nominal and calibrated
// ones, or all of every engine.
enum class Shown : std::uint8_t { best, simulated, all };

std::vector<Prediction> shown_predictions(const ArmReport& arm, Shown shown) {
  std::vector<Prediction> list = predictions(arm);
  if (shown == Shown::best) {
    const auto best = best_prediction(arm);
    return best ? std::vector<Prediction>{*best} : std::vector<Prediction>{};
  }
  if (shown == Shown::simulated) {
    std::erase_if(list, [](const Prediction& p) { return !p.path.ends_with(".simulate"); });
  }
  return list;
}

Table arms_table(const Report& report, std::vector<Figure> figures, bool published, Shown shown) {
  const bool has_it = std::any_of(figures.begin(), figures.end(), [](const Figure& figure) {
    return figure.path == unsent_figure.figure.path;
  });
  if (!has_it && any_unsent(report)) figures.push_back(unsent_figure.figure);
  Table table;
  table.labels = 2;
  table.headings = {"arm", "source"};
  for (const Figure& figure : figures) table.headings.emplace_back(figure.heading);
  for (std::size_t i = 0; i < report.arms.size(); ++i) {
    const ArmReport& arm = report.arms[i];
    const std::size_t first = table.rows.size();
    if (published && arm.published) {
      table.rows.push_back(tally_row("", "published", arm.published->tally, figures,
                                     arm_path(i, "published"), TableRow::Kind::published));
    }
    for (const Prediction& p : shown_predictions(arm, shown)) {
      table.rows.push_back(tally_row("", p.label, *p.tally, figures, arm_path(i, p.path),
                                     TableRow::Kind::predicted));
    }
    if (arm.measured) {
      table.rows.push_back(tally_row("", measured_label(arm), *arm.measured, figures,
                                     arm_path(i, "measured"), TableRow::Kind::measured));
      if (!arm.measured->spread.empty()) table.rows.push_back(spread_row(arm, figures));
    } else {
      table.rows.push_back(empty_row(arm, figures.size()));
    }
    table.rows[first].cells[0].text = arm.name;
    table.rows[first].first_of_group = true;
  }
  return table;
}

}  // namespace

std::vector<OverviewFigure> overview_columns(const Report& report) {
  std::vector<OverviewFigure> columns(std::begin(overview_figures), std::end(overview_figures));
  if (any_unsent(report)) columns.insert(columns.begin() + 1, unsent_figure);
  return columns;
}

std::vector<Prediction> predictions(const ArmReport& arm) {
  std::vector<Prediction> list;
  const auto add = [&](const std::map<std::string, Tally>& tallies, std::string_view which) {
    for (const auto& [engine, tally] : tallies) {
      list.push_back(
          {&tally, fmt::format("predicted.{}.{}", which, engine),
           engine == "simulate" ? std::string(which) : fmt::format("{}, {}", which, engine)});
    }
  };
  add(arm.predicted.nominal, "nominal");
  add(arm.predicted.calibrated, "calibrated");
  if (arm.predicted.replay) {
    list.push_back({&*arm.predicted.replay, "predicted.replay", "replay"});
  }
  return list;
}

std::optional<Prediction> best_prediction(const ArmReport& arm) {
  std::optional<Prediction> best;
  for (const Prediction& p : predictions(arm)) {
    if (p.path.ends_with(".simulate")) best = p;  // nominal comes first, calibrated after it
  }
  return best;
}

bool has_predictions(const Report& report) {
  return std::any_of(report.arms.begin(), report.arms.end(),
                     [](const ArmReport& arm) { return best_prediction(arm).has_value(); });
}

Table overview_table(const Report& report) {
  return arms_table(report, overview(report), true, Shown::simulated);
}

Table figures_table(const Report& report, std::span<const Figure> figures) {
  return arms_table(report, {figures.begin(), figures.end()}, false, Shown::best);
}

Table engines_table(const Report& report) {
  return arms_table(report, overview(report), false, Shown::all);
}

Table queue_table(const Report& report) {
  Table table;
  table.headings = {"arm",     "waiting places", "useful queue",         "beyond it",
                    "work ms", "workers",        "patience: timeout ms", "longest wait ms"};
  for (std::size_t i = 0; i < report.arms.size(); ++i) {
    const ArmReport& arm = report.arms[i];
    const Scenario& s = arm.scenario;
    const auto places = static_cast<double>(queue_places(s));
    // Nothing where the discipline has no useful queue: there is no longest wait either.
    const auto useful_places = useful_queue(s);
    const Count useful = useful_places ? Count(static_cast<double>(*useful_places)) : std::nullopt;
    const double work = milliseconds(s.service.work);
    const Count beyond = useful ? Count(std::max(0.0, places - *useful)) : std::nullopt;
    const Count longest =
        useful ? Count(places * work / static_cast<double>(s.service.workers)) : std::nullopt;
    const auto text = [](FigureKind kind, const Count& value) {
      return Cell{figure_text(kind, value), {}, value};
    };
    TableRow row;
    row.first_of_group = true;
    row.cells = {{arm.name, {}, {}},
                 text(FigureKind::count, places),
                 text(FigureKind::count, useful),
                 text(FigureKind::count, beyond),
                 text(FigureKind::milliseconds, work),
                 {figure_text(FigureKind::count, static_cast<double>(s.service.workers)),
                  arm_path(i, "scenario.service.workers"), static_cast<double>(s.service.workers)},
                 text(FigureKind::milliseconds, milliseconds(s.client.timeout)),
                 text(FigureKind::milliseconds, longest)};
    table.rows.push_back(std::move(row));
  }
  return table;
}

const Try* measured_try(const ArmReport& arm) {
  if (!arm.measured_try) return nullptr;
  const auto found = std::find_if(arm.tries.begin(), arm.tries.end(), [&](const Try& t) {
    return t.key.try_number == arm.measured_try->try_number;
  });
  return found == arm.tries.end() ? nullptr : &*found;
}

}  // namespace retrystorm
