#include "model/oncall/print.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/number_text.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm::oncall {
namespace json = boost::json;
namespace {

enum class As { clock, count, flag, plain, rate, share, money, burn };

struct Column {
  std::string_view name;
  std::variant<int Minute::*, double Minute::*, bool Minute::*> value;
  std::string_view heading;  // in the table; empty: not shown there
  As as;
};

constexpr std::array columns = {
    Column{"minute", &Minute::minute, "", As::count},
    Column{"clock", &Minute::clock, "clock", As::clock},
    Column{"requests_per_s", &Minute::requests_per_s, "req/s", As::rate},
    Column{"instances_serving", &Minute::instances_serving, "serving", As::count},
    Column{"instances_booting", &Minute::instances_booting, "booting", As::count},
    Column{"hit_rate", &Minute::hit_rate, "hits", As::share},
    Column{"database_utilization", &Minute::database_utilization, "database", As::share},
    Column{"shed_share", &Minute::shed_share, "shed", As::share},
    Column{"fleet_cost_per_hour", &Minute::fleet_cost_per_hour, "$/h", As::money},
    Column{"cost", &Minute::cost, "$", As::money},
    Column{"cached_age_s", &Minute::cached_age_s, "age s", As::plain},
    Column{"bad_share", &Minute::bad_share, "bad", As::share},
    Column{"recommendations_share", &Minute::recommendations_share, "heavy", As::share},
    Column{"error_rate", &Minute::error_rate, "errors", As::share},
    Column{"p99_ms", &Minute::p99_ms, "p99 ms", As::plain},
    Column{"burn_1h", &Minute::burn_1h, "burn 1h", As::burn},
    Column{"budget_left", &Minute::budget_left, "budget", As::share},
    Column{"utilization", &Minute::utilization, "busy", As::share},
    Column{"service_ms", &Minute::service_ms, "", As::plain},
    Column{"burn_5min", &Minute::burn_5min, "", As::burn},
    Column{"alert", &Minute::alert, "", As::flag},
    Column{"rolling_back", &Minute::rolling_back, "", As::flag},
    Column{"warming_up", &Minute::warming_up, "", As::flag},
};

// The value in full, as CSV and JSON have it; a clock time is quoted in JSON.
std::string exact(const Column& column, const Minute& minute, std::string_view quote) {
  if (column.as == As::clock) return fmt::format("{0}{1}{0}", quote, format_clock(minute.clock));
  return std::visit([&](auto member) { return fmt::format("{}", minute.*member); }, column.value);
}

std::string rounded(const Column& column, const Minute& minute) {
  const double value =
      std::visit([&](auto member) { return static_cast<double>(minute.*member); }, column.value);
  switch (column.as) {
    case As::clock:
      return format_clock(minute.clock);
    case As::rate:
      return plain_rate_text(value);
    case As::share:
      return fmt::format("{:.2f} %", 100 * value);
    case As::money:
      return fmt::format("{:.2f}", value);
    case As::burn:
      return fmt::format("{:.1f}", value);
    case As::plain:
    case As::count:
    case As::flag:
      break;
  }
  return fmt::format("{:.0f}", value);
}

std::string remarks(const Minute& m) {
  std::string text;
  if (m.alert) text += " ALERT";
  if (m.rolling_back) text += " rolling-back";
  if (m.warming_up) text += " warming-up";
  return text;
}

std::string title_line(const Title& t) {
  return fmt::format("scenario {}, seed {}, operator {}", name(t.scenario), t.seed,
                     printable(t.who));
}

}  // namespace

std::string to_table(const Title& title, const Morning& morning, int every) {
  std::string text = fmt::format("{}\n({})\n\n", title_line(title), disclaimer);
  for (const Column& column : columns) {
    if (!column.heading.empty()) text += fmt::format("{:>9}", column.heading);
  }
  text += '\n';
  for (const Minute& minute : morning.minutes) {
    if (minute.minute % every != 0 && &minute != &morning.minutes.back()) continue;
    for (const Column& column : columns) {
      if (!column.heading.empty()) text += fmt::format("{:>9}", rounded(column, minute));
    }
    text += remarks(minute) + '\n';
  }
  const Summary& s = morning.summary;
  text += fmt::format(
      "\nbudget left {:.2f} % of the month's ({:.2f} % spent), ${:.2f} for the fleet\n"
      "{:.0f} requests, {:.0f} failed, {:.0f} shed; worst p99 {:.0f} ms, database at most {:.0f} "
      "%, "
      "at most {} instances\n"
      "burn alert: {}; moves of the operator: {}{}\n",
      100 * s.budget_left, 100 * s.budget_spent, s.cost, s.requests, s.failed, s.shed,
      s.worst_p99_ms, 100 * s.peak_database_utilization, s.peak_instances,
      s.alert_clock ? format_clock(*s.alert_clock) : "none", s.actions,
      s.actions_not_reached > 0
          ? fmt::format(" ({} of the script not reached)", s.actions_not_reached)
          : "");
  return text;
}

std::string to_csv(const Title& title, const Morning& morning) {
  std::string text = fmt::format("# {}\n# {}\n", disclaimer, title_line(title));
  std::string_view separator;
  for (const Column& column : columns) {
    text += fmt::format("{}{}", separator, column.name);
    separator = ",";
  }
  for (const Minute& minute : morning.minutes) {
    separator = "\n";
    for (const Column& column : columns) {
      text += fmt::format("{}{}", separator, exact(column, minute, ""));
      separator = ",";
    }
  }
  return text + '\n';
}

std::string to_json_text(const Title& title, const Morning& morning) {
  std::string text = fmt::format(
      "{{\n  \"scenario\": \"{}\",\n  \"seed\": {},\n  \"operator\": {},\n  \"note\": \"{}\",\n"
      "  \"minutes\": [",
      name(title.scenario), title.seed, json::serialize(json::value(printable(title.who))),
      disclaimer);
  std::string_view line = "\n";
  for (const Minute& minute : morning.minutes) {
    std::string_view separator = "    {";
    text += line;
    for (const Column& column : columns) {
      text += fmt::format("{}\"{}\": {}", separator, column.name, exact(column, minute, "\""));
      separator = ", ";
    }
    text += '}';
    line = ",\n";
  }
  std::string summary = pretty_json(to_json(morning.summary));
  summary.pop_back();
  for (std::size_t at = 0; (at = summary.find('\n', at)) != std::string::npos; at += 3) {
    summary.insert(at + 1, "  ");
  }
  return text + fmt::format("\n  ],\n  \"summary\": {}\n}}\n", summary);
}

json::object to_json(const Summary& s) {
  json::object out;
  const auto number = [&](json::string_view key, double value) { out[key] = json_number(value); };
  number("budget_left", s.budget_left);
  number("budget_spent", s.budget_spent);
  number("cost", s.cost);
  number("requests", s.requests);
  number("failed", s.failed);
  number("shed", s.shed);
  number("worst_p99_ms", s.worst_p99_ms);
  number("peak_database_utilization", s.peak_database_utilization);
  out["peak_instances"] = s.peak_instances;
  out["alert_clock"] = s.alert_clock ? json::value(format_clock(*s.alert_clock)) : json::value();
  out["actions"] = s.actions;
  out["actions_not_reached"] = s.actions_not_reached;
  return out;
}

}  // namespace retrystorm::oncall
