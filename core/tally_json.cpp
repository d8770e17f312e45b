// A Tally in JSON, in the shape of docs/semantics.md: stable, keys may be added, none renamed.
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "core/tally.hpp"

#include <boost/json.hpp>

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

Quantiles quantiles_from_json(const JsonObject& object) {
  Quantiles quantiles;
  visit_quantiles(quantiles,
                  [&](std::string_view name, Count& value) { value = object.number(name); });
  return quantiles;
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
  if (object.given("classes")) {
    object.each("classes", [&](const JsonObject& of_class) {
      tally.classes.push_back(tally_from_json(of_class));
    });
  }
  return tally;
}

}  // namespace retrystorm
