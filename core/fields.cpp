#include "core/fields.hpp"

#include "core/classes.hpp"
#include "core/error.hpp"
#include "core/field_list.hpp"
#include "core/policy/arrivals.hpp"
#include "core/policy/backoff.hpp"
#include "core/policy/budget.hpp"
#include "core/policy/injection.hpp"
#include "core/policy/queue.hpp"
#include "core/policy/retry.hpp"
#include "core/policy/users.hpp"
#include "core/policy/work.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {
namespace {

// The policies and what else declares fields, in the order of the reference page.
constexpr auto declare = {declare_run,           declare_workers,     declare_work,
                          declare_queue,         declare_connections, declare_injection,
                          declare_arrivals,      declare_users,       declare_timeout,
                          declare_retry,         declare_backoff,     declare_budget,
                          declare_client_limits, declare_network,     declare_simulation};

std::vector<Field> make_fields() {
  FieldList list;
  for (const auto& policy : declare) policy(list);
  std::vector<Field> all = list.take();
  // Tables together, each in the order in which its fields were declared.
  std::vector<std::string_view> tables;
  for (const Field& f : all) {
    if (std::find(tables.begin(), tables.end(), f.table) == tables.end()) tables.push_back(f.table);
  }
  const auto rank = [&](const Field& f) {
    return std::find(tables.begin(), tables.end(), f.table) - tables.begin();
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Field& a, const Field& b) { return rank(a) < rank(b); });
  return all;
}

}  // namespace

std::string Field::path() const {
  return table.empty() ? std::string(name) : fmt::format("{}.{}", table, name);
}

std::string Field::flag() const {
  std::string text = "--" + std::string(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::span<const Field> fields() {
  static const std::vector<Field> all = make_fields();
  return all;
}

const Field* find_field(std::string_view path) {
  const auto all = fields();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Field& f) { return f.path() == path; });
  return found == all.end() ? nullptr : &*found;
}

namespace {

std::string set_in_class(const Scenario& scenario, ClientClass& one, const Field& field,
                         const FieldValue& value) {
  Scenario as_class = scenario;
  as_class.client = one.client;
  std::string remedy = field.set(as_class, value);
  one.client = as_class.client;
  return remedy;
}

}  // namespace

void set_field(Scenario& scenario, const Field& field, const FieldValue& value,
               std::string_view where, std::string_view shown_as) {
  if (const std::string remedy = field.set(scenario, value); !remedy.empty()) {
    throw InvalidInput(where, shown_as,
                       fmt::format("{}; got '{}'", remedy, printable(to_text(value))));
  }
  if (field.table != "client") return;
  for (ClientClass& one : scenario.classes) {
    const bool own = std::find(one.own.begin(), one.own.end(), field.name) != one.own.end();
    if (!own) set_in_class(scenario, one, field, value);
  }
}

std::string set_class_field(Scenario& scenario, std::size_t c, const Field& field,
                            const FieldValue& value) {
  if (!is_set_by_class(field)) return "is one for all classes: set it in [client]";
  ClientClass& one = scenario.classes.at(c);
  std::string remedy = set_in_class(scenario, one, field, value);
  const std::string name(field.name);
  const bool known = std::find(one.own.begin(), one.own.end(), name) != one.own.end();
  if (remedy.empty() && !known) one.own.push_back(name);
  return remedy;
}

bool says_something(const FieldValue& value) {
  const auto* list = std::get_if<std::vector<std::string>>(&value);
  return !is_word(value, "none") && !(list && list->empty());
}

void refuse_replaced(std::span<const GivenField> given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!replace_each_other(given[i].field->path(), given[j].field->path())) continue;
      throw InvalidInput(given[i].where, given[i].shown_as,
                         fmt::format("stands in place of {}: give one of them", given[j].shown_as));
    }
  }
}

bool is_replaced(const Scenario& scenario, const Field& field) {
  const std::string path = field.path();
  return (!scenario.client.stages.empty() && replace_each_other("client.stages", path)) ||
         (scenario.client.users && path == "client.rate") ||
         (scenario.client.recorded && (path == "client.rate" || path == "client.duration")) ||
         (scenario.service.recorded_work && path == "service.work");
}

FieldValue value_from_text(const Field& field, std::string_view text) {
  if (field.type == "set" || field.type == "texts") {
    std::vector<std::string> words;
    for (std::size_t from = 0; from <= text.size() && !text.empty();) {
      const std::size_t to = std::min(text.find(',', from), text.size());
      words.emplace_back(text.substr(from, to - from));
      from = to + 1;
    }
    return words;
  }
  if (field.type == "integer") {
    if (const auto whole = parse_integer(text)) return *whole;
  } else if (field.type == "number") {
    if (const auto real = parse_number(text)) return *real;
  }
  return std::string(text);
}

std::string to_text(const FieldValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&value)) return format_number(*real);
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    return fmt::format("{}", fmt::join(*list, ","));
  }
  return std::get<std::string>(value);
}

std::vector<std::string_view> field_tables() {
  std::vector<std::string_view> tables;
  for (const Field& f : fields()) {
    if (tables.empty() || tables.back() != f.table) tables.push_back(f.table);
  }
  return tables;
}

bool is_random(const Scenario& scenario) {
  const auto all = fields();
  for (std::size_t c = 0; c < class_count(scenario); ++c) {
    const Scenario one = scenario_of_class(scenario, c);
    if (std::any_of(all.begin(), all.end(),
                    [&](const Field& f) { return f.draws && f.draws(one); })) {
      return true;
    }
  }
  return false;
}

EngineSet modelled_by(const Field& field, const Scenario& scenario) {
  return field.modelled_by ? field.modelled_by(scenario) : field.engines;
}

namespace {

void validate_users(const Scenario& s, std::string_view where) {
  const auto refuse = [&](std::string_view field, std::string_view remedy) {
    throw InvalidInput(where, field, std::string(remedy));
  };
  if (s.client.arrivals != ArrivalProcess::even) {
    refuse("client.arrivals", "must be even with client.users, who come when they have thought");
  }
  if (s.simulation.first_arrival == FirstArrival::gap) {
    refuse("simulation.first_arrival", "must be zero with client.users");
  }
  if (s.client.max_in_flight && *s.client.max_in_flight < *s.client.users) {
    refuse("client.max_in_flight", "must not be below client.users");
  }
  for (std::size_t c = 0; c < class_count(s); ++c) {
    const ClientSettings one = scenario_of_class(s, c).client;
    if (s.client.think == Duration::zero() && keeps_first_tries_back(one)) {
      refuse("client.think",
             "must be above 0 with a budget that keeps first tries back: a user who is kept back "
             "would ask again at once");
    }
  }
  if (s.client.think == Duration::zero() && s.network.round_trip == Duration::zero()) {
    refuse("network.round_trip",
           "must be above 0, or client.think must: a user who is refused would ask again at once");
  }
}

void validate_recorded(const Scenario& s, std::string_view where) {
  const auto refuse = [&](std::string_view field, std::string_view remedy) {
    throw InvalidInput(where, field, remedy);
  };
  if (s.client.recorded && s.client.arrivals != ArrivalProcess::even) {
    refuse("client.arrivals", "must be even with client.recorded, whose requests come as recorded");
  }
  if (s.client.recorded && s.simulation.first_arrival == FirstArrival::gap) {
    refuse("simulation.first_arrival", "must be zero with client.recorded");
  }
  if (s.service.recorded_work && s.service.work_shape != WorkShape::fixed) {
    refuse("service.work_shape",
           "must be fixed with service.recorded_work, whose shape is as recorded");
  }
}

}  // namespace

void validate(const Scenario& s, std::string_view where) {
  validate_classes(s, where);
  if (!s.service.queue && shortest_timeout(s) != longest_timeout(s)) {
    throw InvalidInput(where, "service.queue",
                       "must be a number of places: auto is the useful queue, and for classes with "
                       "different timeouts there is none");
  }
  if (!s.service.queue && has_class_work(s)) {
    throw InvalidInput(where, "service.queue",
                       "must be a number of places: auto is the useful queue, and for classes with "
                       "work of their own there is none");
  }
  if (!s.service.queue && !useful_queue(s)) {
    throw InvalidInput(where, "service.queue",
                       fmt::format("must be a number of places: auto is the useful queue, and with "
                                   "discipline {} there is none",
                                   to_text(find_field("service.discipline")->get(s))));
  }
  if (s.settle && *s.settle >= s.client.duration) {
    throw InvalidInput(where, "settle",
                       fmt::format("must be below the duration ({}); got '{}'",
                                   format_duration(s.client.duration), format_duration(*s.settle)));
  }
  if (!s.client.stages.empty() && s.simulation.first_arrival == FirstArrival::gap) {
    throw InvalidInput(where, "simulation.first_arrival",
                       "must be zero with client.stages: each stage begins with a request");
  }
  if (s.client.users) validate_users(s, where);
  validate_recorded(s, where);
  const double planned = s.client.rate * seconds(s.client.duration);
  if (planned > 1e12) {
    throw InvalidInput(where, "client.rate",
                       "rate x duration must be at most 1000000000000 requests");
  }
}

std::string fields_markdown() {
  const Scenario defaults;
  std::string page =
      "# The fields of a scenario\n\n"
      "Each is a key of a scenario file and a flag. Written by `retrystorm fields`.\n";
  std::string_view table = "none yet";
  for (const Field& f : fields()) {
    if (f.table != table) {
      table = f.table;
      page += fmt::format(
          "\n## {}\n\n| field | flag | type | default | range | honoured by | meaning |\n"
          "|---|---|---|---|---|---|---|\n",
          table.empty() ? "(top)" : fmt::format("[{}]", table));
    }
    std::vector<std::string_view> engines;
    for (std::size_t e = 0; e < engine_names.size(); ++e) {
      if (f.engines & engine_bit(static_cast<Engine>(e))) engines.push_back(engine_names[e]);
    }
    page += fmt::format(
        "| `{}` | `{}` | {} | `{}` | {} | {} | {} |\n", f.name, f.flag(), f.type,
        to_text(f.get(defaults)), f.range,
        engines.size() == engine_names.size() ? "all" : fmt::format("{}", fmt::join(engines, ", ")),
        f.help);
  }
  return page;
}

}  // namespace retrystorm
