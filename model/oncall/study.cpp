#include "model/oncall/study.hpp"

#include "core/csv_field.hpp"
#include "core/error.hpp"
#include "core/json.hpp"

#include <algorithm>
#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm::oncall {
namespace json = boost::json;
namespace {

// The figures that are shown, and how the table writes them.
struct Figure {
  std::string_view name;
  double Summary::*value;
  std::string_view heading;
  double scale;
  int decimals;
};
constexpr std::array figures = {
    Figure{"budget_left", &Summary::budget_left, "budget left, %", 100, 2},
    Figure{"budget_spent", &Summary::budget_spent, "budget spent, %", 100, 2},
    Figure{"cost", &Summary::cost, "money spent, $", 1, 2},
    Figure{"failed", &Summary::failed, "requests failed", 1, 0},
    Figure{"shed", &Summary::shed, "requests shed", 1, 0},
    Figure{"worst_p99_ms", &Summary::worst_p99_ms, "worst p99, ms", 1, 0},
};

std::size_t count_overspent(const Study& study, std::string_view who) {
  return static_cast<std::size_t>(
      std::count_if(study.mornings.begin(), study.mornings.end(),
                    [&](const Played& p) { return p.who == who && p.summary.budget_left < 0; }));
}

std::size_t count_played(const Study& study, std::string_view who) {
  return static_cast<std::size_t>(std::count_if(study.mornings.begin(), study.mornings.end(),
                                                [&](const Played& p) { return p.who == who; }));
}

}  // namespace

Study study(const Day& day, std::uint32_t first_seed, std::uint32_t seeds,
            const std::vector<NamedOperator>& operators, int closing_clock,
            const std::function<bool()>& stop) {
  Study result{day.scenario, first_seed, seeds, {}, {}, false};
  for (const NamedOperator& one : operators) result.operators.push_back(one.name);
  for (std::uint32_t i = 0; i < seeds; ++i) {
    if (stop()) {
      result.interrupted = true;
      break;
    }
    for (std::size_t o = 0; o < operators.size(); ++o) {
      const Morning morning = play(day, first_seed + i, operators[o].who, closing_clock);
      result.mornings.push_back({result.operators[o], first_seed + i, morning.summary});
    }
  }
  return result;
}

Distribution distribution(const Study& study, std::string_view who, double Summary::*figure) {
  std::vector<double> values;
  for (const Played& p : study.mornings) {
    if (p.who == who) values.push_back(p.summary.*figure);
  }
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {*spread_of(values), median, values.front(), values.back()};
}

Price price_of(const Study& study, std::string_view who) {
  Price price;
  double mornings = 0;
  const Played* first = nullptr;  // of the same seed: mornings stand by seed, then operator
  for (const Played& p : study.mornings) {
    if (p.who == study.operators.front()) first = &p;
    if (p.who != who || !first || first->seed != p.seed) continue;
    ++mornings;
    price.budget += p.summary.budget_left - first->summary.budget_left;
    price.cost += p.summary.cost - first->summary.cost;
    price.shed += p.summary.shed - first->summary.shed;
  }
  if (mornings == 0) return {};
  return {price.budget / mornings, price.cost / mornings, price.shed / mornings};
}

std::string to_table(const Study& study) {
  std::string text = fmt::format("scenario {}, seeds {} to {}{}\n({})\n", name(study.scenario),
                                 study.first_seed, study.first_seed + study.seeds - 1,
                                 study.interrupted ? ", interrupted" : "", disclaimer);
  for (const std::string& who : study.operators) {
    text += fmt::format("\n{}: {} mornings, {} of them overspent the budget\n", printable(who),
                        count_played(study, who), count_overspent(study, who));
    text += fmt::format("  {:18}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "", "mean", "least",
                        "2.5 %", "median", "97.5 %", "most");
    for (const Figure& f : figures) {
      const Distribution d = distribution(study, who, f.value);
      text += fmt::format("  {:18}", f.heading);
      for (const double value :
           {d.spread.mean, d.least, d.spread.low, d.median, d.spread.high, d.most}) {
        text += fmt::format("{:>11.{}f}", f.scale * value, f.decimals);
      }
      text += '\n';
    }
  }
  if (study.operators.size() > 1 && !study.mornings.empty()) {
    text += fmt::format("\nWhat decisions cost, against {}, on average of the mornings\n",
                        printable(study.operators.front()));
    for (std::size_t o = 1; o < study.operators.size(); ++o) {
      const Price price = price_of(study, study.operators[o]);
      text += fmt::format(
          "  {:18}{:+.2f} points of the month's budget, {:+.2f} $, {:+.0f} requests shed\n",
          printable(study.operators[o]), 100 * price.budget, price.cost, price.shed);
    }
  }
  return text;
}

std::string to_csv(const Study& study) {
  std::string text =
      fmt::format("# {}\n# scenario {}\noperator,seed", disclaimer, name(study.scenario));
  for (const Figure& f : figures) text += fmt::format(",{}", f.name);
  text += ",peak_instances,alert_clock,actions\n";
  for (const Played& p : study.mornings) {
    // An operator is named by a script's file, which may hold a comma, a quote or a formula.
    text += fmt::format("{},{}", csv_field(printable(p.who)), p.seed);
    for (const Figure& f : figures) text += fmt::format(",{}", p.summary.*f.value);
    text += fmt::format(",{},{},{}\n", p.summary.peak_instances,
                        p.summary.alert_clock ? format_clock(*p.summary.alert_clock) : "",
                        p.summary.actions);
  }
  return text;
}

std::string to_json_text(const Study& study) {
  json::array operators;
  for (const std::string& who : study.operators) {
    json::object one{{"operator", printable(who)},
                     {"mornings", count_played(study, who)},
                     {"overspent", count_overspent(study, who)}};
    for (const Figure& f : figures) {
      const Distribution d = distribution(study, who, f.value);
      json::object& out = one[{f.name.data(), f.name.size()}].emplace_object();
      out["mean"] = json_number(d.spread.mean);
      out["sd"] = json_number(d.spread.sd);
      out["low"] = json_number(d.spread.low);
      out["high"] = json_number(d.spread.high);
      out["median"] = json_number(d.median);
      out["least"] = json_number(d.least);
      out["most"] = json_number(d.most);
    }
    const Price price = price_of(study, who);
    one["against_first"] = {{"budget_left", json_number(price.budget)},
                            {"cost", json_number(price.cost)},
                            {"shed", json_number(price.shed)}};
    operators.emplace_back(std::move(one));
  }
  json::array mornings;
  for (const Played& p : study.mornings) {
    mornings.push_back({{"operator", printable(p.who)},
                        {"seed", p.seed},
                        {"budget_left", json_number(p.summary.budget_left)},
                        {"cost", json_number(p.summary.cost)},
                        {"failed", json_number(p.summary.failed)},
                        {"shed", json_number(p.summary.shed)}});
  }
  const std::string_view scenario = name(study.scenario);
  return pretty_json(json::object{{"scenario", json::string_view(scenario.data(), scenario.size())},
                                  {"first_seed", study.first_seed},
                                  {"seeds", study.seeds},
                                  {"interrupted", study.interrupted},
                                  {"note", json::string_view(disclaimer.data(), disclaimer.size())},
                                  {"operators", std::move(operators)},
                                  {"mornings", std::move(mornings)}});
}

}  // namespace retrystorm::oncall
