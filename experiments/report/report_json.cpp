// The report as JSON, in the shape of docs/semantics.md, and back.
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "experiments/report/count_error.hpp"
#include "experiments/report/report.hpp"
#include "experiments/report/settled_arms.hpp"

#include <algorithm>

#include <boost/json.hpp>

namespace retrystorm {
namespace json = boost::json;
namespace {

json::string_view key_of(std::string_view name) {
  return {name.data(), name.size()};
}

json::value texts(const std::vector<std::string>& list) {
  return json::value_from(list);
}

json::value opening_to_json(const Opening& opening) {
  return {{"seconds", json_number(opening.seconds)},
          {"succeeded", json_number(opening.succeeded)},
          {"last_success_ms", json_number(opening.last_success_ms)},
          {"after_sending", json_number(opening.after_sending)}};
}

Opening opening_from_json(const JsonObject& object) {
  return {object.number("seconds"), object.number("succeeded"), object.number("last_success_ms"),
          object.number("after_sending")};
}

json::value try_to_json(const Try& t) {
  json::object figures;
  visit_figures(t.trust, [&](std::string_view name, const Count& figure) {
    figures[key_of(name)] = json_number(figure);
  });
  if (!t.trust.stages.empty()) {
    json::array stages;
    for (const StageTrust& s : t.trust.stages) {
      stages.push_back({{"stage", s.stage},
                        {"seconds", s.seconds},
                        {"scheduled_per_s", json_number(s.scheduled_per_s)},
                        {"arrived_per_s", json_number(s.arrived_per_s)},
                        {"arrival_gap_cv", json_number(s.arrival_gap_cv)}});
    }
    figures["stages"] = std::move(stages);
  }
  json::object reconciliation;
  for (const ExchangeKind& kind : exchange_kinds()) {
    const auto found = t.reconciliation.find(kind.name);
    reconciliation[key_of(kind.name)] = found == t.reconciliation.end() ? 0 : found->second;
  }
  reconciliation["prometheus"] = nullptr;
  if (t.scraped) {
    json::object prometheus = to_json(*t.scraped).as_object();
    prometheus["agrees"] = disagreements(*t.scraped, t.tally).empty();
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

Try try_from_json(const JsonObject& object, const std::string& arm) {
  Try t;
  t.key = {arm, object.whole("repeat")};
  t.repeat = object.whole("round");
  t.repeats = object.whole("rounds");
  const auto status = status_named(object.text("status"));
  if (!status) object.refuse("status", "no such status");
  t.status = *status;
  t.trusted = object.flag("trusted");
  t.reasons = object.texts("reasons");
  t.warnings = object.texts("warnings");
  t.tally = tally_from_json(object.object("tally"));
  t.opening = opening_from_json(object.object("opening"));
  if (const auto limits = object.object_if("limits")) t.limits = limits_from_json(*limits);
  const JsonObject figures = object.object("trust");
  visit_figures(t.trust,
                [&](std::string_view name, Count& figure) { figure = figures.number(name); });
  if (figures.given("stages")) {
    figures.each("stages", [&](const JsonObject& s) {
      t.trust.stages.push_back({s.text("stage"), s.number("seconds").value_or(0),
                                s.number("scheduled_per_s"), s.number("arrived_per_s"),
                                s.number("arrival_gap_cv")});
    });
  }
  const JsonObject reconciliation = object.object("reconciliation");
  for (const ExchangeKind& kind : exchange_kinds()) {
    t.reconciliation[std::string(kind.name)] =
        static_cast<std::uint64_t>(reconciliation.whole(kind.name));
  }
  if (reconciliation.given("prometheus")) {
    t.scraped = scraped_from_json(reconciliation.object("prometheus"));
  }
  t.environment = object.object("environment").members();
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

std::map<std::string, Tally> tallies_from_json(const JsonObject& object) {
  std::map<std::string, Tally> tallies;
  for (const auto& member : object.members()) {
    tallies[std::string(member.key())] = tally_from_json(object.object(member.key()));
  }
  return tallies;
}

// Nothing where it is null or missing.
std::optional<Tally> optional_tally(const JsonObject& object, std::string_view key) {
  if (!object.given(key)) return std::nullopt;
  return tally_from_json(object.object(key));
}

json::array refused_to_json(const std::vector<NotPredicted>& refused) {
  json::array list;
  for (const NotPredicted& none : refused) {
    list.push_back({{"prediction", none.prediction}, {"engine", none.engine}, {"why", none.why}});
  }
  return list;
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

// The same tree as `predicted`; empty without a whole measurement.
json::value errors_to_json(const ArmReport& arm) {
  const auto each = [&](const std::map<std::string, Tally>& tallies) {
    json::object object;
    if (comparable(arm)) {
      for (const auto& [engine, tally] : tallies) object[engine] = errors_of(tally, *arm.measured);
    }
    return object;
  };
  return {{"nominal", each(arm.predicted.nominal)},
          {"calibrated", each(arm.predicted.calibrated)},
          {"replay", comparable(arm) && arm.predicted.replay
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
            {"replay", or_null(arm.predicted.replay)},
            {"refused", refused_to_json(arm.predicted.refused)}}},
          {"error_percent", errors_to_json(arm)},
          {"tries", std::move(tries)}};
}

ArmReport arm_from_json(const JsonObject& object) {
  ArmReport arm;
  arm.name = object.text("name");
  arm.scenario = scenario_from_json(object.object("scenario"));
  arm.status = object.text("status");
  if (arm.status != "not_run" && !status_named(arm.status)) {
    object.refuse("status", "no such status");
  }
  arm.trusted = object.flag("trusted");
  arm.reasons = object.texts("reasons");
  if (object.given("published")) {
    const JsonObject published = object.object("published");
    arm.published = Published{published.text("source"), published.text("rates"),
                              published.texts("notes"), tally_from_json(published)};
  }
  arm.measured = optional_tally(object, "measured");
  if (object.number("measured_try")) {
    arm.measured_try = TryKey{arm.name, object.whole("measured_try")};
  }
  arm.opening = opening_from_json(object.object("opening"));
  object.each("repeats",
              [&](const JsonObject& tally) { arm.repeats.push_back(tally_from_json(tally)); });
  const JsonObject predicted = object.object("predicted");
  arm.predicted.nominal = tallies_from_json(predicted.object("nominal"));
  arm.predicted.calibrated = tallies_from_json(predicted.object("calibrated"));
  arm.predicted.replay = optional_tally(predicted, "replay");
  if (predicted.has("refused")) {  // an older report has none
    predicted.each("refused", [&](const JsonObject& none) {
      arm.predicted.refused.push_back(
          {none.text("prediction"), none.text("engine"), none.text("why")});
    });
  }
  object.each("tries",
              [&](const JsonObject& t) { arm.tries.push_back(try_from_json(t, arm.name)); });
  empty_unjudged(arm);
  return arm;
}

}  // namespace

json::value to_json(const Report& report) {
  json::array arms;
  for (const ArmReport& arm : report.arms) arms.push_back(arm_to_json(arm));
  return {{"experiment", report.experiment},   {"question", report.question},
          {"partial", report.partial},         {"notices", texts(report.notices)},
          {"environment", report.environment}, {"arms", std::move(arms)}};
}

Report report_from_json(const json::value& value, std::string_view where) {
  const JsonObject object(value, where);
  Report report;
  report.experiment = object.text("experiment");
  report.question = object.text("question");
  report.partial = object.flag("partial");
  report.notices = object.texts_if("notices");
  report.environment = object.object("environment").members();
  object.each("arms", [&](const JsonObject& arm) { report.arms.push_back(arm_from_json(arm)); });
  if (report.arms.empty()) object.refuse("arms", "must not be empty: every run has one");
  return report;
}

}  // namespace retrystorm
