// The tables that say how far a report can be believed: prediction error, trust, the agreement of
// the ledgers, parameters, machine.
#include "core/fields.hpp"
#include "core/json.hpp"
#include "core/number_text.hpp"
#include "experiments/report/count_error.hpp"
#include "experiments/report/layout.hpp"
#include "experiments/report/tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

using Kind = FigureKind;

constexpr std::array<Figure, 18> trust_columns = {{
    {"send_lag_p50_ms", "send lag p50 ms", Kind::milliseconds},
    {"send_lag_p99_ms", "p99 ms", Kind::milliseconds},
    {"send_lag_max_ms", "max ms", Kind::milliseconds},
    {"unsent_for_shortage", "unsent for a shortage", Kind::count},
    {"retries_denied", "retries denied for one", Kind::count},
    {"service_lateness_max_ms", "service: finished late, max ms", Kind::milliseconds},
    {"read_lateness_max_ms", "read late, max ms", Kind::milliseconds},
    {"effective_work_ms", "effective work ms", Kind::milliseconds},
    {"work_drawn_ms", "work drawn ms", Kind::milliseconds},
    {"carried_lateness_max_ms", "carried lateness max ms", Kind::milliseconds},
    {"scheduled_per_s", "scheduled /s", Kind::rate},
    {"arrived_per_s", "arrived /s", Kind::rate},
    {"arrival_gap_cv", "gap variation", Kind::factor},
    {"round_trip_ms", "round trip ms", Kind::milliseconds},
    {"service_cpu_share", "service CPU", Kind::share},
    {"generator_cpu_share", "generator CPU", Kind::share},
    {"schedule_errors", "schedule errors", Kind::count},
    {"ledger_lost", "records lost", Kind::count},
}};

// The work time is shown finer than other times: a tenth of a per cent of it matters.
std::string trust_text(const Figure& figure, const Count& value) {
  if (value && figure.path.find("work") != figure.path.npos) return fmt::format("{:.3f}", *value);
  return figure_text(figure.kind, value);
}

std::string error_text(const Count& percent) {
  if (!percent) return std::string(no_number);
  const std::string_view sign = *percent > 0 ? "+" : *percent < 0 ? "−" : "";
  return fmt::format("{}{:.2f} %", sign, std::abs(*percent));
}

Cell text_cell(std::string text) {
  return {std::move(text), {}, {}};
}

TableRow error_row(const ArmReport& arm, std::size_t index, std::string_view count, bool first) {
  const std::string path = fmt::format("counts.{}", count);
  const Count measured = figure_at(*arm.measured, path);
  TableRow row;
  row.first_of_group = first;
  row.cells = {text_cell(first ? arm.name : ""),
               text_cell(path_words(count)),
               {figure_text(Kind::count, measured), fmt::format("arms.{}.measured.{}", index, path),
                measured}};
  const auto add = [&](const Tally* tally, const std::string& where) {
    const Count predicted = tally ? figure_at(*tally, path) : std::nullopt;
    row.cells.push_back({figure_text(Kind::count, predicted),
                         predicted ? fmt::format("arms.{}.{}.{}", index, where, path) : "",
                         predicted});
    const auto error = tally && comparable(arm)
                           ? count_error(count, tally->counts, arm.measured->counts)
                           : std::optional<CountError>();
    row.cells.push_back(text_cell(error_text(error ? error->percent : std::nullopt)));
    const Count share = error ? error->share_of_attempts : std::nullopt;
    row.cells.push_back(text_cell(error_text(share ? Count(100 * *share) : std::nullopt)));
  };
  add(simulated(arm.predicted.nominal), "predicted.nominal.simulate");
  add(simulated(arm.predicted.calibrated), "predicted.calibrated.simulate");
  add(arm.predicted.replay ? &*arm.predicted.replay : nullptr, "predicted.replay");
  return row;
}

}  // namespace

Table error_table(const Report& report) {
  Table table;
  table.labels = 2;
  table.headings = {"arm",        "count", "measured",    "nominal", "error", "of attempts",
                    "calibrated", "error", "of attempts", "replay",  "error", "of attempts"};
  for (std::size_t i = 0; i < report.arms.size(); ++i) {
    const ArmReport& arm = report.arms[i];
    if (!arm.measured || predictions(arm).empty()) continue;
    for (const std::string_view count : judged_counts) {
      table.rows.push_back(error_row(arm, i, count, count == judged_counts.front()));
    }
  }
  return table;
}

Table trust_table(const Report& report) {
  Table table;
  table.labels = 2;
  table.headings = {"arm", ""};
  for (const Figure& figure : trust_columns) table.headings.emplace_back(figure.heading);
  for (std::size_t i = 0; i < report.arms.size(); ++i) {
    const ArmReport& arm = report.arms[i];
    for (std::size_t j = 0; j < arm.tries.size(); ++j) {
      const Try& t = arm.tries[j];
      TableRow row;
      row.first_of_group = j == 0;
      row.cells = {text_cell(j == 0 ? arm.name : fmt::format("  try {}", j + 1)),
                   text_cell(t.trusted                     ? "trusted"
                             : t.status == TryStatus::done ? "untrusted"
                                                           : std::string(name(t.status)))};
      visit_figures(t.trust, [&](std::string_view name, const Count& value) {
        const auto column = std::find_if(trust_columns.begin(), trust_columns.end(),
                                         [&](const Figure& f) { return f.path == name; });
        if (column == trust_columns.end()) return;
        const auto at = 2 + static_cast<std::size_t>(column - trust_columns.begin());
        row.cells.resize(2 + trust_columns.size());
        row.cells[at] = {trust_text(*column, value),
                         value ? fmt::format("arms.{}.tries.{}.trust.{}", i, j, name) : "", value};
      });
      table.rows.push_back(std::move(row));
    }
    if (arm.tries.empty()) {
      TableRow row;
      row.first_of_group = true;
      row.cells = {text_cell(arm.name), text_cell("not run")};
      row.cells.resize(2 + trust_columns.size(), text_cell(std::string(no_number)));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table reconciliation_table(const Report& report) {
  Table table;
  table.labels = 2;
  table.long_labels = true;
  table.headings = {"what the two ledgers say of an exchange", "in a whole run"};
  std::vector<std::pair<std::size_t, std::size_t>> shown;  // arm and try
  for (std::size_t i = 0; i < report.arms.size(); ++i) {
    const Try* measured = measured_try(report.arms[i]);
    if (!measured) continue;
    shown.emplace_back(i, static_cast<std::size_t>(measured - report.arms[i].tries.data()));
    table.headings.push_back(report.arms[i].name);
  }
  for (const ExchangeKind& kind : exchange_kinds()) {
    TableRow row;
    row.cells = {text_cell(std::string(kind.meaning)),
                 text_cell(kind.explained ? "explained" : "must be 0")};
    bool any = !kind.explained;
    for (const auto& [i, j] : shown) {
      const auto& found = report.arms[i].tries[j].reconciliation;
      const auto at = found.find(kind.name);
      const double count = at == found.end() ? 0 : static_cast<double>(at->second);
      any = any || count > 0;
      row.cells.push_back({figure_text(Kind::count, count),
                           fmt::format("arms.{}.tries.{}.reconciliation.{}", i, j, kind.name),
                           count});
    }
    if (any) table.rows.push_back(std::move(row));
  }
  if (shown.empty()) table.rows.clear();
  return table;
}

Table advice_table(const Advice& advice) {
  Table table;
  table.labels = 5;
  table.headings = {"knob",           "set it to",          "instead of", "as a flag",
                    "why this value", "settled goodput /s", "gain /s"};
  if (advice.second_state) table.headings.emplace_back("removes the second state");
  for (const Change& change : advice.changes) {
    TableRow row;
    row.kind = TableRow::Kind::predicted;
    row.stands_out = helps(change, advice) || change.removes_second_state.value_or(false);
    row.cells = {text_cell(change.field),
                 text_cell(change.to),
                 text_cell(change.from),
                 text_cell(fmt::format("{} {}", find_field(change.field)->flag(), change.to)),
                 text_cell(change.why),
                 text_cell(figure_text(Kind::rate, change.goodput_per_s)),
                 text_cell(change.goodput_per_s
                               ? (change.gain_per_s >= 0 ? "+" : "") + rate_text(change.gain_per_s)
                               : std::string(no_number))};
    if (advice.second_state) {
      const auto& removes = change.removes_second_state;
      row.cells.push_back(text_cell(!removes ? std::string(no_number) : *removes ? "yes" : "no"));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table parameters_table(const Report& report) {
  Table table;
  table.labels = 3;
  table.headings = {"field", "value", "what it is"};
  if (report.arms.empty()) return table;
  const std::vector<std::string> varied = varied_fields(report);
  for (const Field& field : fields()) {
    const std::string path = field.path();
    std::string value = to_text(field.get(report.arms.front().scenario));
    if (std::find(varied.begin(), varied.end(), path) != varied.end()) {
      std::vector<std::string> values;
      for (const ArmReport& arm : report.arms) {
        std::string text = to_text(field.get(arm.scenario));
        if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(text);
      }
      value = "varied:";
      for (std::size_t i = 0; i < values.size(); ++i) value += (i > 0 ? ", " : " ") + values[i];
    }
    TableRow row;
    row.cells = {text_cell(path), text_cell(value), text_cell(std::string(field.help))};
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table environment_table(const Report& report) {
  Table table;
  table.labels = 2;
  table.headings = {"machine", ""};
  for (const auto& [key, value] : report.environment) {
    TableRow row;
    std::string words(key);
    std::replace(words.begin(), words.end(), '_', ' ');
    row.cells = {text_cell(std::move(words)), text_cell(value_text(value))};
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace retrystorm
