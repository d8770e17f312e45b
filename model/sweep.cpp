#include "model/sweep.hpp"

#include "core/error.hpp"
#include "core/known_field.hpp"
#include "core/share.hpp"
#include "model/honours.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr double most_rates = 100'000;

// The number of steps from `from` to `to`, checked; `step` in the same unit.
std::int64_t steps_between(double from, double to, double step, std::string_view where,
                           std::string_view text) {
  if (!(step > 0) || !(to >= from)) {
    throw InvalidInput(where, text, "must go from low to high in steps above 0");
  }
  const double steps = std::floor((to - from) / step * (1 + 1e-12) + 1e-9);
  if (steps >= most_rates) throw InvalidInput(where, text, "has more than 100,000 steps");
  return static_cast<std::int64_t>(steps);
}

}  // namespace

Sweep parse_sweep(std::string_view text, std::string_view where) {
  const std::size_t equals = text.find('=');
  const std::size_t dots = text.find("..", equals == std::string_view::npos ? 0 : equals);
  const std::size_t colon = text.find(':', dots == std::string_view::npos ? 0 : dots);
  if (equals == std::string_view::npos || dots == std::string_view::npos ||
      colon == std::string_view::npos) {
    throw InvalidInput(where, text, "must be FIELD=FROM..TO:STEP, as client.rate=600..1600:20");
  }
  Sweep sweep;
  const Field* field = &meant_field(where, text.substr(0, equals));
  sweep.field = field->path();
  const std::string_view from = text.substr(equals + 1, dots - equals - 1);
  const std::string_view to = text.substr(dots + 2, colon - dots - 2);
  const std::string_view step = text.substr(colon + 1);

  if (field->type == "duration") {
    const auto a = parse_duration(from);
    const auto b = parse_duration(to);
    const auto d = parse_duration(step);
    if (!a || !b || !d) {
      throw InvalidInput(where, text, "must have durations with their units, as 50ms..200ms:10ms");
    }
    const auto count =
        steps_between(static_cast<double>(a->count()), static_cast<double>(b->count()),
                      static_cast<double>(d->count()), where, text);
    for (std::int64_t i = 0; i <= count; ++i) {
      sweep.values.emplace_back(format_duration(*a + *d * i));
    }
    return sweep;
  }
  if (field->type != "integer" && field->type != "rate" && field->type != "number") {
    throw InvalidInput(where, sweep.field, "is no number, rate or duration to sweep");
  }
  const auto number = [&](std::string_view part) {
    const auto value = field->type == "rate" ? parse_rate(part) : parse_number(part);
    if (!value) throw InvalidInput(where, text, "must have numbers, as 600..1600:20");
    return *value;
  };
  const double a = number(from);
  const double b = number(to);
  const double d = number(step);
  const auto count = steps_between(a, b, d, where, text);
  for (std::int64_t i = 0; i <= count; ++i) {
    // Steps of 0.1 shall read 0.3, not 0.30000000000000004.
    const double value = std::round((a + d * static_cast<double>(i)) * 1e9) / 1e9;
    if (value == std::floor(value) && std::abs(value) < 9e15) {
      sweep.values.emplace_back(static_cast<std::int64_t>(value));
    } else {
      sweep.values.emplace_back(value);
    }
  }
  return sweep;
}

std::vector<SweepStep> sweep(const Scenario& base, const Sweep& range, const Predict& predict,
                             const Stop& stop) {
  const Field& field = known_field("sweep", range.field);
  std::vector<SweepStep> steps;
  steps.reserve(range.values.size());
  for (const FieldValue& value : range.values) {
    if (stop.asked()) break;
    SweepStep step{value, base, {}};
    set_field(step.scenario, field, value, "sweep", range.field);
    validate(step.scenario, "sweep");
    try {
      step.tally = predict(step.scenario);
    } catch (const Interrupted&) {
      break;  // the steps before it are whole
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

Cost sweep_cost(const Scenario& base, const Sweep& range, Engine engine,
                const PredictOptions& options) {
  const Field& field = known_field("sweep", range.field);
  // A few along the way stand for all.
  constexpr std::size_t looks = 16;
  const std::size_t stride = std::max<std::size_t>(1, range.values.size() / looks);
  Cost sum;
  for (std::size_t i = 0; i < range.values.size(); i += stride) {
    Scenario scenario = base;
    try {
      set_field(scenario, field, range.values[i], "sweep", range.field);
      validate(scenario, "sweep");
      honour(engine, scenario, options.approximate);
    } catch (const InvalidInput&) {
      continue;
    }
    sum = sum + static_cast<double>(stride) * cost_of(engine, scenario, options);
  }
  sum.bytes += static_cast<double>(range.values.size() * (sizeof(SweepStep) + 2000));
  return sum;
}

std::optional<Knee> knee(const Sweep& range, const std::vector<SweepStep>& steps,
                         std::int64_t share_ppm) {
  if (range.field != "client.rate") return std::nullopt;
  std::optional<Knee> knee;
  for (const SweepStep& step : steps) {
    const Rates& r = step.tally.settled;
    if (!r.goodput_per_s || !r.offered_per_s ||
        !rate_reaches(*r.goodput_per_s, *r.offered_per_s, share_ppm)) {
      break;
    }
    if (step.scenario.client.rate > ceiling(step.scenario)) break;
    knee = Knee{step.scenario.client.rate, *r.goodput_per_s};
  }
  return knee;
}

}  // namespace retrystorm
