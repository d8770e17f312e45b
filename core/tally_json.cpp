// Tally and Scenario in JSON, in the shapes of docs/semantics.md: stable, keys may be added, none
// renamed.
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"
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

void spread_from_json(const json::object& object, const std::string& prefix,
                      std::map<std::string, Spread>& into) {
  if (object.contains("mean") && object.at("mean").is_number()) {
    into[prefix] = {number_at(object, "mean").value_or(0), number_at(object, "sd").value_or(0),
                    number_at(object, "low").value_or(0), number_at(object, "high").value_or(0)};
    return;
  }
  for (const auto& [key, value] : object) {
    if (!value.is_object()) continue;
    const std::string name(key);
    spread_from_json(value.get_object(), prefix.empty() ? name : prefix + "." + name, into);
  }
}

Rates rates_from_json(const json::object& object) {
  Rates rates;
  visit_rates(rates, [&](std::string_view name, Count& rate) { rate = number_at(object, name); });
  return rates;
}

Quantiles quantiles_from_json(const json::object& object) {
  Quantiles quantiles;
  visit_quantiles(quantiles,
                  [&](std::string_view name, Count& value) { value = number_at(object, name); });
  return quantiles;
}

FieldValue field_value_from_json(const json::value& value, std::string_view where,
                                 const std::string& path) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_double()) return value.get_double();
  if (value.is_string()) return std::string(value.get_string());
  if (const auto* list = value.if_array()) {
    std::vector<std::string> words;
    for (const json::value& item : *list) {
      if (!item.is_string()) throw InvalidInput(where, path, "must list strings");
      words.emplace_back(item.get_string());
    }
    return words;
  }
  throw InvalidInput(where, path, "must be a number, a string or a list of strings");
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
                      {"settled", rates_to_json(tally.settled)},
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

Tally tally_from_json(const json::value& value, std::string_view where) {
  if (!value.is_object()) throw InvalidInput(where, "", "a tally must be an object");
  const json::object& object = value.get_object();
  Tally tally;
  tally.engine = text_at(object, "engine", where);
  const json::object& counts = object_at(object, "counts", where);
  const json::object& unfinished = object_at(counts, "unfinished", where);
  visit_counts(tally.counts, [&](std::string_view name, Count& count) {
    if (name.starts_with(unfinished_prefix)) {
      count = number_at(unfinished, name.substr(unfinished_prefix.size()));
    } else {
      count = number_at(counts, name);
    }
  });
  tally.whole = rates_from_json(object_at(object, "whole", where));
  tally.settled = rates_from_json(object_at(object, "settled", where));
  const json::object& latency = object_at(object, "latency_ms", where);
  tally.request = quantiles_from_json(object_at(latency, "request", where));
  tally.attempt = quantiles_from_json(object_at(latency, "attempt", where));
  tally.all = quantiles_from_json(object_at(latency, "all", where));
  if (const auto* spread = object.if_contains("spread"); spread && spread->is_object()) {
    spread_from_json(spread->get_object(), "", tally.spread);
  }
  if (const auto* points = object.if_contains("fixed_points"); points && points->is_array()) {
    for (const json::value& p : points->get_array()) {
      if (!p.is_object()) throw InvalidInput(where, "fixed_points", "must list objects");
      const auto* stable = p.get_object().if_contains("stable");
      tally.fixed_points.push_back({number_at(p.get_object(), "attempts_per_s").value_or(0),
                                    number_at(p.get_object(), "goodput_per_s").value_or(0),
                                    stable && stable->is_bool() && stable->get_bool()});
    }
  }
  tally.refused_share = number_at(object, "refused_share");
  if (const auto* left_out = object.if_contains("approximations");
      left_out && left_out->is_array()) {
    for (const json::value& item : left_out->get_array()) {
      if (!item.is_string()) throw InvalidInput(where, "approximations", "must list strings");
      tally.approximations.emplace_back(item.get_string());
    }
  }
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

Scenario scenario_from_json(const json::value& value, std::string_view where) {
  if (!value.is_object()) throw InvalidInput(where, "scenario", "must be an object");
  Scenario scenario;
  const auto set = [&](const std::string& path, const json::value& v) {
    const Field* field = find_field(path);
    if (!field) throw InvalidInput(where, path, "no such field");
    set_field(scenario, *field, field_value_from_json(v, where, path), where, path);
  };
  for (const auto& [key, inner] : value.get_object()) {
    if (!inner.is_object()) {
      set(std::string(key), inner);
      continue;
    }
    for (const auto& [name, v] : inner.get_object()) {
      set(fmt::format("{}.{}", std::string_view(key), std::string_view(name)), v);
    }
  }
  validate(scenario, where);
  return scenario;
}

}  // namespace retrystorm
