// The report as JSON, in the shape of docs/semantics.md, and back.
#include "core/error.hpp"
#include "core/json.hpp"
#include "experiments/report/count_error.hpp"
#include "experiments/report/report.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

json::string_view key_of(std::string_view name) {
  return {name.data(), name.size()};
}

json::value texts(const std::vector<std::string>& list) {
  return json::value_from(list);
}

std::vector<std::string> texts_at(const json::object& object, std::string_view key,
                                  std::string_view where) {
  std::vector<std::string> list;
  const json::value* value = object.if_contains(key_of(key));
  if (!value || !value->is_array()) throw InvalidInput(where, key, "must be a list of strings");
  for (const json::value& item : value->get_array()) {
    if (!item.is_string()) throw InvalidInput(where, key, "must be a list of strings");
    list.emplace_back(item.get_string());
  }
  return list;
}

const json::array& array_at(const json::object& object, std::string_view key,
                            std::string_view where) {
  const json::value* value = object.if_contains(key_of(key));
  if (!value || !value->is_array()) throw InvalidInput(where, key, "must be a list");
  return value->get_array();
}

bool flag_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key_of(key));
  return value && value->is_bool() && value->get_bool();
}

const json::value* present(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key_of(key));
  return value && !value->is_null() ? value : nullptr;
}

json::value opening_to_json(const Opening& opening) {
  return {{"seconds", json_number(opening.seconds)},
          {"succeeded", json_number(opening.succeeded)},
          {"last_success_ms", json_number(opening.last_success_ms)},
          {"after_sending", json_number(opening.after_sending)}};
}

Opening opening_from_json(const json::object& object) {
  return {number_at(object, "seconds"), number_at(object, "succeeded"),
          number_at(object, "last_success_ms"), number_at(object, "after_sending")};
}

json::value try_to_json(const Try& t) {
  json::object figures;
  visit_figures(t.trust, [&](std::string_view name, const Count& figure) {
    figures[key_of(name)] = json_number(figure);
  });
  json::object reconciliation;
  for (const ExchangeKind& kind : exchange_kinds()) {
    const auto found = t.reconciliation.find(kind.name);
    reconciliation[key_of(kind.name)] = found == t.reconciliation.end() ? 0 : found->second;
  }
  reconciliation["prometheus"] = nullptr;
  if (t.scraped) {
    json::object prometheus = to_json(*t.scraped).as_object();
    prometheus["agrees"] = disagreements(*t.scraped, t.tally.counts).empty();
    reconciliation["prometheus"] = std::move(prometheus);
  }
  // `repeat`, `round` and `rounds` are what earlier versions called try_number, repeat and
  // repeats; keys stay.
  return {{"try_number", t.key.try_number},
          {"repeat", t.key.try_number},
          {"round", t.repeat},
          {"rounds", t.repeats},
          {"status", name(t.status)},
          {"trusted", t.trusted},
          {"reasons", texts(t.reasons)},
          {"warnings", texts(t.warnings)},
          {"tally", to_json(t.tally)},
          {"opening", opening_to_json(t.opening)},
          {"limits", to_json(t.limits)},
          {"trust", std::move(figures)},
          {"reconciliation", std::move(reconciliation)},
          {"environment", t.environment}};
}

std::optional<TryStatus> status_named(std::string_view text) {
  const auto found = std::find(try_status_names.begin(), try_status_names.end(), text);
  if (found == try_status_names.end()) return std::nullopt;
  return static_cast<TryStatus>(found - try_status_names.begin());
}

Try try_from_json(const json::value& value, const std::string& arm, std::string_view where) {
  if (!value.is_object()) throw InvalidInput(where, "tries", "must list objects");
  const json::object& object = value.get_object();
  Try t;
  t.key = {arm, whole_at(object, "repeat")};
  t.repeat = whole_at(object, "round");
  t.repeats = whole_at(object, "rounds");
  const auto status = status_named(text_at(object, "status", where));
  if (!status) throw InvalidInput(where, "status", "no such status");
  t.status = *status;
  t.trusted = flag_at(object, "trusted");
  t.reasons = texts_at(object, "reasons", where);
  t.warnings = texts_at(object, "warnings", where);
  t.tally = tally_from_json(object_at(object, "tally", where), where);
  t.opening = opening_from_json(object_at(object, "opening", where));
  if (const json::value* limits = present(object, "limits"); limits && limits->is_object()) {
    t.limits = limits_from_json(limits->get_object());
  }
  const json::object& figures = object_at(object, "trust", where);
  visit_figures(t.trust,
                [&](std::string_view name, Count& figure) { figure = number_at(figures, name); });
  const json::object& reconciliation = object_at(object, "reconciliation", where);
  for (const ExchangeKind& kind : exchange_kinds()) {
    t.reconciliation[std::string(kind.name)] =
        static_cast<std::uint64_t>(whole_at(reconciliation, kind.name));
  }
  if (present(reconciliation, "prometheus")) {
    t.scraped = scraped_from_json(object_at(reconciliation, "prometheus", where), where);
  }
  t.environment = object_at(object, "environment", where);
  return t;
}

json::value published_to_json(const std::optional<Published>& published) {
  if (!published) return nullptr;
  json::object object = to_json(published->tally).as_object();
  object["source"] = published->source;
  object["rates"] = published->rates;
  object["notes"] = texts(published->notes);
  return object;
}

json::object tallies_to_json(const std::map<std::string, Tally>& tallies) {
  json::object object;
  for (const auto& [engine, tally] : tallies) object[engine] = to_json(tally);
  return object;
}

std::map<std::string, Tally> tallies_from_json(const json::object& object, std::string_view where) {
  std::map<std::string, Tally> tallies;
  for (const auto& [engine, value] : object) {
    tallies[std::string(engine)] = tally_from_json(value, where);
  }
  return tallies;
}

// Each count of a prediction against the measured one.
json::value errors_of(const Tally& predicted, const Tally& measured) {
  json::object counts;
  for (const CountError& error : count_errors(predicted.counts, measured.counts)) {
    counts[key_of(error.count)] = {{"percent", json_number(error.percent)},
                                   {"share_of_attempts", json_number(error.share_of_attempts)}};
  }
  return counts;
}

// The same tree as `predicted`; empty without a measurement.
json::value errors_to_json(const ArmReport& arm) {
  const auto each = [&](const std::map<std::string, Tally>& tallies) {
    json::object object;
    if (arm.measured) {
      for (const auto& [engine, tally] : tallies) object[engine] = errors_of(tally, *arm.measured);
    }
    return object;
  };
  return {{"nominal", each(arm.predicted.nominal)},
          {"calibrated", each(arm.predicted.calibrated)},
          {"replay", arm.measured && arm.predicted.replay
                         ? errors_of(*arm.predicted.replay, *arm.measured)
                         : json::value()}};
}

json::value arm_to_json(const ArmReport& arm) {
  json::array repeats;
  for (const Tally& tally : arm.repeats) repeats.push_back(to_json(tally));
  json::array tries;
  for (const Try& t : arm.tries) tries.push_back(try_to_json(t));
  const auto or_null = [](const std::optional<Tally>& tally) {
    return tally ? to_json(*tally) : json::value();
  };
  return {{"name", arm.name},
          {"scenario", to_json(arm.scenario)},
          {"status", arm.status},
          {"trusted", arm.trusted},
          {"reasons", texts(arm.reasons)},
          {"published", published_to_json(arm.published)},
          {"measured", or_null(arm.measured)},
          {"measured_try", arm.measured_try ? json::value(arm.measured_try->try_number) : nullptr},
          {"opening", opening_to_json(arm.opening)},
          {"repeats", std::move(repeats)},
          {"predicted",
           {{"nominal", tallies_to_json(arm.predicted.nominal)},
            {"calibrated", tallies_to_json(arm.predicted.calibrated)},
            {"replay", or_null(arm.predicted.replay)}}},
          {"error_percent", errors_to_json(arm)},
          {"tries", std::move(tries)}};
}

ArmReport arm_from_json(const json::value& value, std::string_view where) {
  if (!value.is_object()) throw InvalidInput(where, "arms", "must list objects");
  const json::object& object = value.get_object();
  ArmReport arm;
  arm.name = text_at(object, "name", where);
  arm.scenario = scenario_from_json(object_at(object, "scenario", where), where);
  arm.status = text_at(object, "status", where);
  if (arm.status != "not_run" && !status_named(arm.status)) {
    throw InvalidInput(where, "status", "no such status");
  }
  arm.trusted = flag_at(object, "trusted");
  arm.reasons = texts_at(object, "reasons", where);
  if (present(object, "published")) {
    const json::object& published = object_at(object, "published", where);
    arm.published =
        Published{text_at(published, "source", where), text_at(published, "rates", where),
                  texts_at(published, "notes", where), tally_from_json(published, where)};
  }
  if (const json::value* measured = present(object, "measured")) {
    arm.measured = tally_from_json(*measured, where);
  }
  if (number_at(object, "measured_try")) {
    arm.measured_try = TryKey{arm.name, whole_at(object, "measured_try")};
  }
  arm.opening = opening_from_json(object_at(object, "opening", where));
  for (const json::value& tally : array_at(object, "repeats", where)) {
    arm.repeats.push_back(tally_from_json(tally, where));
  }
  const json::object& predicted = object_at(object, "predicted", where);
  arm.predicted.nominal = tallies_from_json(object_at(predicted, "nominal", where), where);
  arm.predicted.calibrated = tallies_from_json(object_at(predicted, "calibrated", where), where);
  if (const json::value* replay = present(predicted, "replay")) {
    arm.predicted.replay = tally_from_json(*replay, where);
  }
  for (const json::value& t : array_at(object, "tries", where)) {
    arm.tries.push_back(try_from_json(t, arm.name, where));
  }
  return arm;
}

}  // namespace

json::value to_json(const Report& report) {
  json::array arms;
  for (const ArmReport& arm : report.arms) arms.push_back(arm_to_json(arm));
  return {{"experiment", report.experiment},
          {"question", report.question},
          {"partial", report.partial},
          {"environment", report.environment},
          {"arms", std::move(arms)}};
}

Report report_from_json(const json::value& value, std::string_view where) {
  if (!value.is_object()) throw InvalidInput(where, "", "must be an object");
  const json::object& object = value.get_object();
  Report report;
  report.experiment = text_at(object, "experiment", where);
  report.question = text_at(object, "question", where);
  report.partial = flag_at(object, "partial");
  report.environment = object_at(object, "environment", where);
  const json::array& arms = array_at(object, "arms", where);
  if (arms.empty()) throw InvalidInput(where, "arms", "must not be empty: every run has one");
  for (const json::value& arm : arms) {
    report.arms.push_back(arm_from_json(arm, where));
  }
  return report;
}

}  // namespace retrystorm
