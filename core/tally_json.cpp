// Tally and Scenario in JSON, in the shapes of docs/semantics.md: stable, keys may be added, none
// renamed.
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "core/tally_figures.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

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

FieldValue field_value_from_json(const JsonObject& object, std::string_view key) {
  const json::value& value = object.members().at({key.data(), key.size()});
  if (value.is_int64()) return value.get_int64();
  if (value.is_double()) return value.get_double();
  if (value.is_string()) return object.text(key);
  if (value.is_array()) return object.texts(key);
  object.refuse(key, "must be a number, a string or a list of strings");
}

json::value to_json_value(const FieldValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return json::string(*text);
  json::array list;
  for (const std::string& word : std::get<std::vector<std::string>>(value)) {
    list.emplace_back(json::string(word));
  }
  return list;
}

}  // namespace

json::value to_json(const Tally& tally) {
  json::object object{{"engine", tally.engine}};
  for (const TallyFigure& figure : tally_figures) {
    at_path(object, figure.path()) = json_number(figure.in(tally));
  }
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
  return object;
}

Tally tally_from_json(const JsonObject& object) {
  Tally tally;
  tally.engine = object.text("engine");
  figures_from_json(object, tally);
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
  return tally;
}

json::value to_json(const Scenario& scenario) {
  json::object object;
  for (const Field& field : fields()) {
    json::object* at = &object;
    if (!field.table.empty()) {
      json::value& table = object[{field.table.data(), field.table.size()}];
      if (!table.is_object()) table = json::object();
      at = &table.get_object();
    }
    (*at)[{field.name.data(), field.name.size()}] = to_json_value(field.get(scenario));
  }
  return object;
}

Scenario scenario_from_json(const JsonObject& object) {
  Scenario scenario;
  const auto set = [&](const JsonObject& table, std::string_view key, const std::string& path) {
    const Field* field = find_field(path);
    if (!field) table.refuse(key, "no such field");
    set_field(scenario, *field, field_value_from_json(table, key), object.where(),
              object.path_of(path));
  };
  for (const auto& [key, value] : object.members()) {
    const auto table = object.object_if(key);
    if (!table) {
      set(object, key, std::string(key));
      continue;
    }
    for (const auto& [name, inner] : table->members()) {
      set(*table, name, fmt::format("{}.{}", std::string_view(key), std::string_view(name)));
    }
  }
  validate(scenario, object.where());
  return scenario;
}

}  // namespace retrystorm
