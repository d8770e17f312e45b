#include "experiments/verbs/predict_answer.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"
#include "core/number_text.hpp"
#include "core/share.hpp"
#include "core/wrapped_text.hpp"
#include "model/settled/stationary.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {
namespace {
namespace json = boost::json;

constexpr std::array shaping_fields = {"service.workers", "service.work",      "service.work_shape",
                                       "service.queue",   "client.rate",       "client.arrivals",
                                       "client.duration", "client.timeout",    "client.retries",
                                       "client.backoff",  "network.round_trip"};

// f() gives a T, or an optional one.
template <typename T, typename F>
Maybe<T> maybe(F&& f) {
  try {
    return {f(), {}};
  } catch (const InvalidInput& error) {
    return {{}, error.what()};
  } catch (const std::domain_error& error) {  // of a formula: past what it can take
    return {{}, error.what()};
  }
}

std::string collapse_words(const TurningPoints& points) {
  if (!points.collapses_above_per_s) {
    return fmt::format("not up to {}/s offered, twice the ceiling: the surplus is refused in time",
                       rate_text(2 * points.ceiling_per_s));
  }
  if (*points.collapses_above_per_s == 0) {
    return "at any load: less than half of it is answered in time";
  }
  return fmt::format(
      "above {}/s offered: less than half of what is possible is then answered in time",
      rate_text(points.collapses_above_per_s));
}

std::string recovery_words(const TurningPoints& points) {
  if (!points.unknown.empty()) return "not known: " + points.unknown;
  if (*points.collapses_above_per_s == 0) return "at no load";
  if (*points.recovers_below_per_s >= *points.collapses_above_per_s) {
    return fmt::format("as soon as less than {}/s is offered",
                       rate_text(points.recovers_below_per_s));
  }
  return fmt::format(
      "only below {}/s offered: between the two loads its retries keep it collapsed after a burst "
      "has passed",
      rate_text(points.recovers_below_per_s));
}

std::string knob_words(const Advice& advice) {
  const Change* best = best_change(advice);
  if (best && helps(*best, advice)) return change_words(*best);
  if (best) {
    return fmt::format(
        "{} {}: removes the state in which a burst leaves the service ({}/s of "
        "goodput)",
        best->field, best->to, rate_text(advice.second_state->goodput_per_s));
  }
  if (rate_reaches(advice.goodput_per_s, advice.offered_per_s, 990'000)) {
    return "none is needed at this load";
  }
  return "none: no single change tried buys more than a hundredth of the load";
}

std::string metastable_text(const Scenario& scenario, const MetastableTimes& times) {
  std::string lines = explained(
      "metastable",
      fmt::format("mean time to collapse {:.3g} s, to recover {:.3g} s (a chain with exponential "
                  "times: orders of magnitude){}",
                  times.collapse_s, times.recover_s,
                  is_random(scenario)
                      ? ""
                      : ". The scenario itself draws nothing: no chance ends either state"));
  for (const std::string& left_out : times.approximations) {
    lines += explained("metastable", "approximates: " + left_out);
  }
  return lines;
}

}  // namespace

Answers answers_for(const Scenario& scenario, const std::vector<EngineAnswer>& engines,
                    const PredictOptions& options, bool all) {
  Answers answers;
  const bool one_class = scenario.classes.empty();  // there is no advice for several
  for (const EngineAnswer& answer : engines) {
    if (!one_class || !answer.tally || !answer.tally->settled.goodput_per_s) continue;
    const Engine engine = predictor_named(answer.engine).value();
    answers.engine = answer.engine;
    answers.goodput_per_s = *answer.tally->settled.goodput_per_s;
    answers.turning =
        maybe<TurningPoints>([&] { return turning_points(scenario, engine, options); });
    answers.advice = maybe<Advice>([&] { return advise(scenario, engine, options); });
    break;
  }
  if (!all) return answers;
  const bool settled = std::any_of(engines.begin(), engines.end(), [](const EngineAnswer& a) {
    return a.engine == "stationary" && a.tally;
  });
  if (settled) {
    answers.folds = maybe<Folds>([&] {
      require_affordable("folds", folds_cost(scenario), options.effort);
      Meter meter("folds", options.effort);
      return folds(scenario, &meter);
    });
  }
  answers.metastable = maybe<MetastableTimes>([&] {
    require_affordable("metastable times", metastable_cost(scenario), options.effort);
    Meter meter("metastable times", options.effort);
    return metastable_times(scenario, &meter);
  });
  return answers;
}

std::string first_lines(const Scenario& scenario, const Answers& answers) {
  std::string text = explained(
      "ceiling", fmt::format("{}/s: {} workers of {}", rate_text(ceiling(scenario)),
                             scenario.service.workers, format_duration(scenario.service.work)));
  if (!answers.turning.refusal.empty()) text += explained("collapses", answers.turning.refusal);
  if (const auto& points = answers.turning.value) {
    text += explained("collapses", collapse_words(*points));
    if (points->collapses_above_per_s) text += explained("recovers", recovery_words(*points));
  }
  if (!answers.advice.refusal.empty()) text += explained("best knob", answers.advice.refusal);
  if (answers.advice.value) text += explained("best knob", knob_words(*answers.advice.value));
  if (!answers.engine.empty()) {
    text += explained("this load", fmt::format("{}/s offered: a settled goodput of {}/s, by {}",
                                               rate_text(scenario.client.rate),
                                               rate_text(answers.goodput_per_s), answers.engine));
  }
  return text;
}

std::string further_lines(const Scenario& scenario, const Answers& answers) {
  std::string text;
  if (!answers.folds.refusal.empty()) text += explained("folds", answers.folds.refusal);
  if (const auto& folds = answers.folds.value) {
    text +=
        explained("folds", fmt::format("a good state up to {}/s offered, a collapsed one that "
                                       "sustains itself from {}/s on; both between the two",
                                       rate_text(folds->upper.rate), rate_text(folds->lower.rate)));
  }
  if (!answers.metastable.refusal.empty()) {
    text += explained("metastable", answers.metastable.refusal);
  }
  if (answers.metastable.value) text += metastable_text(scenario, *answers.metastable.value);
  if (answers.advice.value) text += explained("advice", answers.advice.value->text);
  return text;
}

std::vector<std::string> fields_at_default(const Scenario& scenario) {
  static const Scenario defaults;
  std::vector<std::string> paths;
  for (const Field& field : fields()) {
    if (field.get(scenario) == field.get(defaults)) paths.push_back(field.path());
  }
  return paths;
}

std::string defaults_line(const Scenario& scenario) {
  const std::vector<std::string> paths = fields_at_default(scenario);
  std::vector<std::string> named;
  for (const char* path : shaping_fields) {
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) continue;
    const Field* field = find_field(path);
    named.push_back(fmt::format("{} {}", field->name, to_text(field->get(scenario))));
  }
  const std::size_t others = paths.size() - named.size();
  if (named.empty()) {
    return explained("defaults", fmt::format("{} fields, see `retrystorm fields`", others));
  }
  return explained("defaults", fmt::format("{}; and {} more, see `retrystorm fields`",
                                           fmt::join(named, ", "), others));
}

json::value first_json(const Answers& answers) {
  json::object first;
  first["engine"] = answers.engine.empty() ? json::value() : json::value(answers.engine);
  first["turning_points"] = answers.turning.value ? to_json(*answers.turning.value) : nullptr;
  const Change* best = answers.advice.value ? best_change(*answers.advice.value) : nullptr;
  first["best_change"] =
      best ? json::value{{"field", best->field}, {"from", best->from}, {"to", best->to}} : nullptr;
  json::object refused;
  const auto add = [&](const char* what, const std::string& why) {
    if (!why.empty()) refused[what] = why;
  };
  add("turning_points", answers.turning.refusal);
  add("advice", answers.advice.refusal);
  add("folds", answers.folds.refusal);
  add("metastable", answers.metastable.refusal);
  first["refused"] = std::move(refused);
  return first;
}

}  // namespace retrystorm
