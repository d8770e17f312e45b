// The comparison as a table for the terminal, Markdown for the docs, CSV and JSON.
#include "core/json.hpp"
#include "core/number_text.hpp"
#include "model/oncall/check.hpp"
#include "model/oncall/morning.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm::oncall {
namespace json = boost::json;
namespace {

std::string value_text(const CheckRow& row, double value) {
  return row.share ? fmt::format("{:.2f} %", 100 * value) : fmt::format("{:.1f} ms", value);
}
std::string formula_text(const CheckRow& row) {
  return row.formula ? value_text(row, *row.formula) : std::string(no_number);
}
std::string simulated_text(const CheckRow& row) {
  if (!row.simulated) return std::string(no_number);
  const std::string mean = value_text(row, *row.simulated);
  if (!row.error) return mean;
  return row.share ? fmt::format("{} +- {:.2f}", mean, 100 * *row.error)
                   : fmt::format("{} +- {:.1f}", mean, *row.error);
}
// In points for a share, in per cent for a time.
std::string difference_text(const CheckRow& row) {
  if (!row.formula) return "no answer";
  if (!row.simulated) return std::string(no_number);
  if (row.share) return fmt::format("{:+.2f} points", 100 * *row.difference());
  const auto percent = row.error_percent();
  return percent ? fmt::format("{:+.1f} %", *percent) : std::string(no_number);
}

std::string about(const Check& check) {
  return fmt::format(
      "One simulated minute, {} instance{} of {} workers unless said otherwise, {} seed{} from "
      "{}{}.\n"
      "Times and shares: mean over the seeds +- its standard error. timeouts_dead_work: nobody "
      "tells\n"
      "the service that a client has left, and it does the work all the same.\n({})\n",
      check.instances, check.instances == 1 ? "" : "s", check.workers, check.seeds,
      check.seeds == 1 ? "" : "s", check.first_seed, check.interrupted ? ", interrupted" : "",
      disclaimer);
}

}  // namespace

std::string to_table(const Check& check) {
  std::string text = about(check);
  for (const CheckCase& one : check.cases) {
    text += fmt::format("\n{} ({:.1f} requests/s, {} workers)\n", one.name, one.requests_per_s,
                        one.workers);
    text += fmt::format("  {:22}{:>14}{:>22}{:>16}\n", "", "formula", "simulated", "difference");
    for (const CheckRow& row : one.rows) {
      text += fmt::format("  {:22}{:>14}{:>22}{:>16}\n", row.name, formula_text(row),
                          simulated_text(row), difference_text(row));
    }
  }
  text += "\nWhere the textbook is furthest from the simulation\n";
  for (const Worst& worst : worst_of(check)) {
    text += fmt::format("  {:22}{:>14}  {}\n", worst.row->name, difference_text(*worst.row),
                        worst.where->name);
  }
  return text;
}

std::string to_markdown(const Check& check) {
  std::string text =
      "| case | figure | formula | simulated | difference |\n|---|---|---|---|---|\n";
  for (const CheckCase& one : check.cases) {
    std::string_view name = one.name;
    for (const CheckRow& row : one.rows) {
      text += fmt::format("| {} | {} | {} | {} | {} |\n", name, row.name, formula_text(row),
                          simulated_text(row), difference_text(row));
      name = "";
    }
  }
  return text + "\n" + about(check);
}

std::string to_csv(const Check& check) {
  std::string text = fmt::format(
      "# {}\ncase,requests_per_s,workers,figure,unit,formula,simulated,standard_error,"
      "error_percent\n",
      disclaimer);
  for (const CheckCase& one : check.cases) {
    for (const CheckRow& row : one.rows) {
      const auto number = [](std::optional<double> v) { return v ? fmt::format("{}", *v) : ""; };
      text += fmt::format("\"{}\",{},{},{},{},{},{},{},{}\n", one.name, one.requests_per_s,
                          one.workers, row.name, row.share ? "share" : "ms", number(row.formula),
                          number(row.simulated), number(row.error), number(row.error_percent()));
    }
  }
  return text;
}

std::string to_json_text(const Check& check) {
  const auto text = [](std::string_view t) { return json::string(t.data(), t.size()); };
  json::array cases;
  for (const CheckCase& one : check.cases) {
    json::array rows;
    for (const CheckRow& row : one.rows) {
      rows.push_back({{"figure", text(row.name)},
                      {"unit", row.share ? "share" : "ms"},
                      {"formula", json_number(row.formula)},
                      {"simulated", json_number(row.simulated)},
                      {"standard_error", json_number(row.error)},
                      {"error_percent", json_number(row.error_percent())}});
    }
    cases.push_back({{"case", text(one.name)},
                     {"requests_per_s", json_number(one.requests_per_s)},
                     {"workers", one.workers},
                     {"figures", std::move(rows)}});
  }
  return pretty_json(json::object{{"note", text(disclaimer)},
                                  {"instances", check.instances},
                                  {"first_seed", check.first_seed},
                                  {"seeds", check.seeds},
                                  {"interrupted", check.interrupted},
                                  {"cases", std::move(cases)}});
}

}  // namespace retrystorm::oncall
