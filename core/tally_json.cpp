// A Tally in JSON, in the shape of docs/semantics.md: stable, keys may be added, none renamed.
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "core/tally_figures.hpp"

#include <boost/json.hpp>

namespace retrystorm {
namespace json = boost::json;
namespace {

// The place of a path, nested one level for each dot: {"counts": {"offered": ...}} for
// "counts.offered".
json::value& at_path(json::object& root, std::string_view path) {
  json::object* at = &root;
  for (std::size_t dot; (dot = path.find('.')) != std::string_view::npos;) {
    json::value& inner = (*at)[{path.data(), dot}];
    if (!inner.is_object()) inner = json::object();
    at = &inner.get_object();
    path.remove_prefix(dot + 1);
  }
  return (*at)[{path.data(), path.size()}];
}

// Where the settled window stands, or why there is none: beside its rates.
void settling_to_json(const Settling& settling, json::object& object) {
  object["from_s"] = json_number(settling.from_s);
  object["to_s"] = json_number(settling.to_s);
  if (!settling.reason.empty()) {
    object["reason"] = settling.reason;
    object["predicted_to_settle_at"] = json_number(settling.predicted_to_settle_at);
  }
  if (!settling.note.empty()) object["note"] = settling.note;
}

Settling settling_from_json(const JsonObject& object) {
  Settling settling;
  settling.from_s = object.number("from_s");
  settling.to_s = object.number("to_s");
  if (object.given("reason")) settling.reason = object.text("reason");
  settling.predicted_to_settle_at = object.number("predicted_to_settle_at");
  if (object.given("note")) settling.note = object.text("note");
  return settling;
}

json::object spread_to_json(const std::map<std::string, Spread>& spreads) {
  json::object root;
  for (const auto& [path, s] : spreads) {
    at_path(root, path) = {{"mean", json_number(s.mean)},
                           {"sd", json_number(s.sd)},
                           {"low", json_number(s.low)},
                           {"high", json_number(s.high)}};
  }
  return root;
}

void spread_from_json(const JsonObject& object, const std::string& prefix,
                      std::map<std::string, Spread>& into) {
  if (const auto mean = object.number("mean")) {
    into[prefix] = {*mean, object.number("sd").value_or(0), object.number("low").value_or(0),
                    object.number("high").value_or(0)};
    return;
  }
  for (const auto& member : object.members()) {
    const std::string name(member.key());
    if (const auto inner = object.object_if(name)) {
      spread_from_json(*inner, prefix.empty() ? name : prefix + "." + name, into);
    }
  }
}

json::object rates_to_json(const Rates& rates) {
  json::object object;
  for (const auto& row : rate_figures) {
    object[{row.name.data(), row.name.size()}] = json_number(rates.*row.member);
  }
  return object;
}

Rates rates_from_json(const JsonObject& object) {
  Rates rates;
  for (const auto& row : rate_figures) rates.*row.member = object.number(row.name);
  return rates;
}

json::object stage_to_json(const StageRates& s) {
  return {{"stage", s.stage},
          {"from_s", s.from_s},
          {"to_s", s.to_s},
          {"whole", rates_to_json(s.whole)},
          {"later", rates_to_json(s.later)}};
}

StageRates stage_from_json(const JsonObject& object) {
  return {object.text("stage"), object.number("from_s").value_or(0),
          object.number("to_s").value_or(0), rates_from_json(object.object("whole")),
          rates_from_json(object.object("later"))};
}

// Every figure of the tally; throws InvalidInput where an object that holds some is missing.
void figures_from_json(const JsonObject& object, Tally& tally) {
  std::string_view holder;
  std::optional<JsonObject> at;
  for (const TallyFigure& figure : tally_figures) {
    const std::string_view path = figure.path();
    const std::size_t last = path.rfind('.');
    if (!at || path.substr(0, last) != holder) {
      holder = path.substr(0, last);
      at = object;
      std::string_view rest = holder;
      for (std::size_t dot; (dot = rest.find('.')) != rest.npos; rest.remove_prefix(dot + 1)) {
        at = at->object(rest.substr(0, dot));
      }
      at = at->object(rest);
    }
    figure.in(tally) = at->number(path.substr(last + 1));
  }
}

}  // namespace

json::value to_json(const Tally& tally) {
  json::object object{{"engine", tally.engine}};
  for (const TallyFigure& figure : tally_figures) {
    at_path(object, figure.path()) = json_number(figure.in(tally));
  }
  settling_to_json(tally.settling, object.at("settled").as_object());
  if (!tally.spread.empty()) object["spread"] = spread_to_json(tally.spread);
  if (tally.engine == "stationary") {
    json::array points;
    for (const FixedPoint& p : tally.fixed_points) {
      points.push_back({{"attempts_per_s", json_number(p.attempts_per_s)},
                        {"goodput_per_s", json_number(p.goodput_per_s)},
                        {"stable", p.stable}});
    }
    object["fixed_points"] = std::move(points);
    object["refused_share"] = json_number(tally.refused_share);
  }
  if (!tally.approximations.empty()) {
    object["approximations"] = json::value_from(tally.approximations);
  }
  if (!tally.stages.empty()) {
    json::array stages;
    for (const StageRates& stage : tally.stages) stages.push_back(stage_to_json(stage));
    object["stages"] = std::move(stages);
  }
  if (!tally.classes.empty()) {
    json::array classes;
    for (const Tally& of_class : tally.classes) classes.push_back(to_json(of_class));
    object["classes"] = std::move(classes);
  }
  return object;
}

Tally tally_from_json(const JsonObject& object) {
  Tally tally;
  tally.engine = object.text("engine");
  figures_from_json(object, tally);
  tally.settling = settling_from_json(object.object("settled"));
  if (const auto spread = object.object_if("spread")) spread_from_json(*spread, "", tally.spread);
  if (object.given("fixed_points")) {
    object.each("fixed_points", [&](const JsonObject& point) {
      tally.fixed_points.push_back({point.number("attempts_per_s").value_or(0),
                                    point.number("goodput_per_s").value_or(0),
                                    point.flag("stable")});
    });
  }
  tally.refused_share = object.number("refused_share");
  if (object.given("approximations")) tally.approximations = object.texts("approximations");
  if (object.given("stages")) {
    object.each("stages",
                [&](const JsonObject& stage) { tally.stages.push_back(stage_from_json(stage)); });
  }
  if (object.given("classes")) {
    object.each("classes", [&](const JsonObject& of_class) {
      tally.classes.push_back(tally_from_json(of_class));
    });
  }
  return tally;
}

}  // namespace retrystorm
