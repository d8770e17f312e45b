#include "model/honours.hpp"

#include "core/classes.hpp"
#include "core/error.hpp"
#include "model/sizes.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {
namespace {

constexpr EngineSet simulate = engine_bit(Engine::simulate);
constexpr EngineSet fluid = engine_bit(Engine::fluid);
constexpr EngineSet stationary = engine_bit(Engine::stationary);
constexpr EngineSet markov = engine_bit(Engine::markov);
constexpr EngineSet analytic = fluid | stationary | markov;

// For these engines a rule stands in place of the registry's bit: the value of the field is
// unmodelled where `unfit` says so.
struct Rule {
  EngineSet engines;
  std::string_view field;
  bool (*unfit)(const Scenario&);
  std::string_view instead;
};

// No field, but what a scenario's classes of clients are called.
constexpr const char* class_path = "class";

// One client stands for all in the closed forms.
bool models_classes(Engine engine) {
  return (analytic & engine_bit(engine)) == 0;
}

bool never_matters(const Scenario&) {
  return false;
}

// A connection for everyone in the system, and one for a refusal.
std::int64_t connections_needed(const Scenario& s) {
  return s.service.workers + queue_places(s) + 1;
}

// Attempts in flight at most: everyone in the system, and those under way for a round trip.
double in_flight_needed(const Scenario& s) {
  const double sent = s.client.rate * static_cast<double>(s.client.retries + 1);
  return static_cast<double>(connections_needed(s)) + sent * seconds(s.network.round_trip);
}

constexpr std::array rules = {
    // Nothing is drawn, and what only shapes a draw does not matter.
    Rule{analytic, "seed", never_matters, ""},
    Rule{analytic, "service.work_cv", never_matters, ""},
    // A close is a close: counts do not depend on how clients leave.
    Rule{analytic | simulate, "client.abandon", never_matters, ""},
    Rule{analytic | simulate, "service.max_connections",
         [](const Scenario& s) { return s.service.max_connections < connections_needed(s); },
         "a connection for everyone (workers + queue + 1)"},
    Rule{analytic, "client.max_in_flight",
         [](const Scenario& s) {
           return s.client.max_in_flight &&
                  static_cast<double>(*s.client.max_in_flight) < in_flight_needed(s);
         },
         "as many attempts in flight as there are"},
    Rule{analytic | simulate, "service.work_kind",
         [](const Scenario& s) { return s.service.work_kind != WorkKind::timer; },
         "work that is due to the nanosecond (timer)"},
    // The settled state has no start and no end.
    Rule{stationary, "drain_limit", never_matters, ""},
    Rule{stationary, "simulation.first_arrival", never_matters, ""},
    Rule{stationary, "client.duration", never_matters, ""},
    Rule{stationary, "settle", never_matters, ""},
    // Thinking is what users do, who are refused themselves.
    Rule{analytic, "client.users", [](const Scenario& s) { return s.client.users.has_value(); },
         ""},
    Rule{analytic, "client.think", never_matters, ""},
    Rule{analytic, "client.think_shape", never_matters, ""},
    // Callers differ by their budgets alone, and these are refused themselves.
    Rule{analytic, "client.callers", never_matters, ""},
    // Without failures on purpose, which are refused themselves, none has a status.
    Rule{analytic, "service.fail_status", never_matters, ""},
    // Who honours it is refused, which it is nothing without.
    Rule{analytic, "client.retry_after_max", never_matters, ""},
    Rule{analytic, "service.send_retry_after", never_matters, ""},
    // What grows up to it is refused itself.
    Rule{analytic, "client.backoff_cap", never_matters, ""},
    // Their load has one rate: nothing stands in for stages.
    Rule{analytic, "client.stages", [](const Scenario& s) { return !s.client.stages.empty(); }, ""},
    Rule{analytic, "client.recorded",
         [](const Scenario& s) { return static_cast<bool>(s.client.recorded); }, ""},
    Rule{analytic, "service.recorded_work",
         [](const Scenario& s) { return static_cast<bool>(s.service.recorded_work); },
         "its mean, in the shape that is modelled"},
    Rule{markov, "drain_limit",
         [](const Scenario& s) { return seconds(s.drain_limit) < drain_needed_s(s); },
         "all the time that draining takes"},
    Rule{fluid, "client.arrivals",
         [](const Scenario& s) { return s.client.arrivals != ArrivalProcess::even; },
         "evenly spaced arrivals"},
    Rule{fluid, "service.work_shape",
         [](const Scenario& s) { return s.service.work_shape != WorkShape::fixed; },
         "work fixed at its mean"},
    Rule{stationary, "service.work_shape",
         [](const Scenario& s) { return s.service.work_shape == WorkShape::lognormal; },
         "fixed or exponential work, whichever has the nearer coefficient of variation"},
    Rule{stationary, "service.workers", [](const Scenario& s) { return !settled_is_solvable(s); },
         "exponential work and Poisson arrivals, the one law solved at this size"},
    Rule{markov, "client.arrivals",
         [](const Scenario& s) { return s.client.arrivals != ArrivalProcess::poisson; },
         "Poisson arrivals"},
    Rule{markov, "service.work_shape",
         [](const Scenario& s) { return s.service.work_shape != WorkShape::exponential; },
         "exponential work"},
};

const Rule* rule_for(Engine engine, std::string_view field) {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const Rule& r) {
    return (r.engines & engine_bit(engine)) != 0 && r.field == field;
  });
  return found == rules.end() ? nullptr : &*found;
}

// Nothing if the engine models the scenario's value of the field.
std::optional<std::string> instead_of(Engine engine, const Field& field, const Scenario& scenario) {
  const bool modelled = (modelled_by(field, scenario) & engine_bit(engine)) != 0;
  if (engine == Engine::testbed) {
    if (modelled) return std::nullopt;
  } else if (const Rule* rule = rule_for(engine, field.path())) {
    return rule->unfit(scenario) ? std::optional(std::string(rule->instead)) : std::nullopt;
  } else if (modelled) {
    return std::nullopt;
  }
  static const Scenario defaults;
  const FieldValue value = field.get(defaults);
  if (field.get(scenario) == value) return std::nullopt;
  return "the default, " + to_text(value);
}

}  // namespace

std::vector<Unmodelled> unmodelled(Engine engine, const Scenario& scenario) {
  std::vector<Unmodelled> list;
  if (!models_classes(engine) && !scenario.classes.empty()) {
    list.push_back({class_path, fmt::format("{} classes of clients", scenario.classes.size()), ""});
    return list;
  }
  for (std::size_t c = 0; c < class_count(scenario); ++c) {
    const Scenario one = scenario_of_class(scenario, c);
    for (const Field& field : fields()) {
      if (auto instead = instead_of(engine, field, one)) {
        const Unmodelled found{field.path(), to_text(field.get(one)), std::move(*instead)};
        if (std::find(list.begin(), list.end(), found) == list.end()) list.push_back(found);
      }
    }
  }
  return list;
}

std::vector<Engine> engines_that_model(const std::string& path, const Scenario& scenario) {
  std::vector<Engine> able;
  const Field* field = find_field(path);
  for (std::size_t i = 0; i < engine_names.size(); ++i) {
    const auto engine = static_cast<Engine>(i);
    const bool models = path == class_path ? models_classes(engine)
                                           : field && !instead_of(engine, *field, scenario);
    if (models) able.push_back(engine);
  }
  return able;
}

std::vector<std::string> honour(Engine engine, const Scenario& scenario, bool approximate) {
  const auto name_of = [](Engine e) { return engine_names[static_cast<std::size_t>(e)]; };
  std::vector<std::string> left_out;
  for (const Unmodelled& u : unmodelled(engine, scenario)) {
    if (!approximate || u.instead.empty()) {
      std::vector<std::string_view> able;
      for (const Engine e : engines_that_model(u.field, scenario)) able.push_back(name_of(e));
      throw InvalidInput(
          fmt::format("engine {}", name_of(engine)), u.field,
          fmt::format("'{}' is not modelled; {}{}", u.value,
                      able.empty() ? "no engine can" : fmt::format("use {}", fmt::join(able, ", ")),
                      u.instead.empty()
                          ? ""
                          : ", or ask for an approximation, which would take " + u.instead));
    }
    left_out.push_back(
        fmt::format("{} = {} is not modelled; taken instead: {}", u.field, u.value, u.instead));
  }
  return left_out;
}

}  // namespace retrystorm
