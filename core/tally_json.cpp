// Tally and Scenario in JSON, in the shapes of docs/semantics.md: stable, keys may be added, none
// renamed.
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "core/tally.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

constexpr std::string_view unfinished_prefix = "unfinished.";

json::object counts_to_json(const Counts& counts) {
  json::object object;
  json::object unfinished;
  visit_counts(counts, [&](std::string_view name, const Count& count) {
    if (name.starts_with(unfinished_prefix)) {
      name.remove_prefix(unfinished_prefix.size());
      unfinished[{name.data(), name.size()}] = json_number(count);
    } else {
      object[{name.data(), name.size()}] = json_number(count);
    }
  });
  object["unfinished"] = std::move(unfinished);
  return object;
}

json::object rates_to_json(const Rates& rates) {
  json::object object;
  visit_rates(rates, [&](std::string_view name, const Count& rate) {
    object[{name.data(), name.size()}] = json_number(rate);
  });
  return object;
}

json::object settled_to_json(const Rates& rates, const Settling& settling) {
  json::object object = rates_to_json(rates);
  object["from_s"] = json_number(settling.from_s);
  object["to_s"] = json_number(settling.to_s);
  if (!settling.reason.empty()) {
    object["reason"] = settling.reason;
    object["predicted_to_settle_at"] = json_number(settling.predicted_to_settle_at);
  }
  if (!settling.note.empty()) object["note"] = settling.note;
  return object;
}

json::object quantiles_to_json(const Quantiles& quantiles) {
  json::object object;
  visit_quantiles(quantiles, [&](std::string_view name, const Count& value) {
    object[{name.data(), name.size()}] = json_number(value);
  });
  return object;
}

// {"counts": {"offered": {...}}} from "counts.offered"; nested one level for each dot.
json::object spread_to_json(const std::map<std::string, Spread>& spreads) {
  json::object root;
  for (const auto& [path, s] : spreads) {
    json::object* at = &root;
    std::string_view rest = path;
    for (std::size_t dot; (dot = rest.find('.')) != std::string_view::npos;) {
      json::value& inner = (*at)[{rest.data(), dot}];
      if (!inner.is_object()) inner = json::object();
      at = &inner.get_object();
      rest.remove_prefix(dot + 1);
    }
    (*at)[{rest.data(), rest.size()}] = json::object{{"mean", json_number(s.mean)},
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

Rates rates_from_json(const JsonObject& object) {
  Rates rates;
  visit_rates(rates, [&](std::string_view name, Count& rate) { rate = object.number(name); });
  return rates;
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

Quantiles quantiles_from_json(const JsonObject& object) {
  Quantiles quantiles;
  visit_quantiles(quantiles,
                  [&](std::string_view name, Count& value) { value = object.number(name); });
  return quantiles;
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
  json::object object{{"engine", tally.engine},
                      {"counts", counts_to_json(tally.counts)},
                      {"whole", rates_to_json(tally.whole)},
                      {"settled", settled_to_json(tally.settled, tally.settling)},
                      {"latency_ms",
                       {{"request", quantiles_to_json(tally.request)},
                        {"attempt", quantiles_to_json(tally.attempt)},
                        {"all", quantiles_to_json(tally.all)}}}};
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
  const JsonObject counts = object.object("counts");
  const JsonObject unfinished = counts.object("unfinished");
  visit_counts(tally.counts, [&](std::string_view name, Count& count) {
    if (name.starts_with(unfinished_prefix)) {
      count = unfinished.number(name.substr(unfinished_prefix.size()));
    } else {
      count = counts.number(name);
    }
  });
  tally.whole = rates_from_json(object.object("whole"));
  tally.settled = rates_from_json(object.object("settled"));
  tally.settling = settling_from_json(object.object("settled"));
  const JsonObject latency = object.object("latency_ms");
  tally.request = quantiles_from_json(latency.object("request"));
  tally.attempt = quantiles_from_json(latency.object("attempt"));
  tally.all = quantiles_from_json(latency.object("all"));
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
