#include "core/fields.hpp"

#include "core/error.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {
namespace {

constexpr EngineSet everyone = engine_bit(Engine::testbed) | engine_bit(Engine::simulate) |
                               engine_bit(Engine::fluid) | engine_bit(Engine::stationary) |
                               engine_bit(Engine::markov);
constexpr EngineSet sampled = engine_bit(Engine::testbed) | engine_bit(Engine::simulate);

using Get = std::function<FieldValue(const Scenario&)>;
using Set = std::function<void(Scenario&, const FieldValue&)>;
struct Access {
  std::string_view type;
  std::string_view range;
  Get get;
  Set set;
};

// ---- one function per type of field: how it is read and written ----

template <typename Ref>
Access integer(Ref ref, std::string_view range, std::int64_t low, std::int64_t high) {
  return {"integer", range,
          [ref](const Scenario& s) { return FieldValue(ref(const_cast<Scenario&>(s))); },
          [=](Scenario& s, const FieldValue& value) {
            const auto* number = std::get_if<std::int64_t>(&value);
            if (!number || *number < low || *number > high) {
              throw fmt::format("must be a whole number, {}", range);
            }
            ref(s) = *number;
          }};
}

template <typename Ref>
Access integer_or(Ref ref, std::string_view word, std::string_view range, std::int64_t low,
                  std::int64_t high) {
  return {"integer", range,
          [=](const Scenario& s) {
            const auto& member = ref(const_cast<Scenario&>(s));
            return member ? FieldValue(*member) : FieldValue(std::string(word));
          },
          [=](Scenario& s, const FieldValue& value) {
            const auto* number = std::get_if<std::int64_t>(&value);
            const auto* text = std::get_if<std::string>(&value);
            if (text && *text == word) {
              ref(s).reset();
            } else if (number && *number >= low && *number <= high) {
              ref(s) = *number;
            } else {
              throw fmt::format("must be a whole number, {}", range);
            }
          }};
}

template <typename Ref>
Access number(Ref ref, std::string_view range, double low, double high) {
  return {"number", range,
          [ref](const Scenario& s) { return FieldValue(ref(const_cast<Scenario&>(s))); },
          [=](Scenario& s, const FieldValue& value) {
            const auto* whole = std::get_if<std::int64_t>(&value);
            const auto* real = std::get_if<double>(&value);
            const double v = whole ? static_cast<double>(*whole) : real ? *real : -1;
            if ((!whole && !real) || !(v >= low && v <= high)) {
              throw fmt::format("must be a number, {}", range);
            }
            ref(s) = v;
          }};
}

template <typename Ref>
Access rate(Ref ref, std::string_view range, double low, double high) {
  return {"rate", range,
          [ref](const Scenario& s) {
            const double v = ref(const_cast<Scenario&>(s));
            // A whole rate is written without a fraction, as people write it.
            if (v == static_cast<double>(static_cast<std::int64_t>(v))) {
              return FieldValue(static_cast<std::int64_t>(v));
            }
            return FieldValue(v);
          },
          [=](Scenario& s, const FieldValue& value) {
            std::optional<double> v;
            if (const auto* whole = std::get_if<std::int64_t>(&value)) {
              v = static_cast<double>(*whole);
            } else if (const auto* real = std::get_if<double>(&value)) {
              v = *real;
            } else if (const auto* text = std::get_if<std::string>(&value)) {
              v = parse_rate(*text);
            }
            if (!v || !(*v >= low && *v <= high)) {
              throw fmt::format("must be a rate per second such as 1200 or 1200/s, {}", range);
            }
            ref(s) = *v;
          }};
}

std::optional<Duration> duration_of(const FieldValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? parse_duration(*text) : std::nullopt;
}

template <typename Ref>
Access duration(Ref ref, std::string_view range, Duration low, Duration high) {
  return {"duration", range,
          [ref](const Scenario& s) {
            return FieldValue(format_duration(ref(const_cast<Scenario&>(s))));
          },
          [=](Scenario& s, const FieldValue& value) {
            const auto v = duration_of(value);
            if (!v || *v < low || *v > high) {
              throw fmt::format("must be a duration with its unit such as 20ms or 1.5s, {}", range);
            }
            ref(s) = *v;
          }};
}

template <typename Ref>
Access duration_or(Ref ref, std::string_view word, std::string_view range, Duration low,
                   Duration high) {
  return {"duration", range,
          [=](const Scenario& s) {
            const auto& member = ref(const_cast<Scenario&>(s));
            return FieldValue(member ? format_duration(*member) : std::string(word));
          },
          [=](Scenario& s, const FieldValue& value) {
            const auto* text = std::get_if<std::string>(&value);
            const auto v = duration_of(value);
            if (text && *text == word) {
              ref(s).reset();
            } else if (v && *v >= low && *v <= high) {
              ref(s) = *v;
            } else {
              throw fmt::format("must be a duration with its unit such as 20ms or 1.5s, {}", range);
            }
          }};
}

template <typename Ref>
Access choice(Ref ref, std::string_view range, std::vector<std::string_view> names) {
  return {"choice", range,
          [=](const Scenario& s) {
            return FieldValue(
                std::string(names.at(static_cast<std::size_t>(ref(const_cast<Scenario&>(s))))));
          },
          [=](Scenario& s, const FieldValue& value) {
            const auto* text = std::get_if<std::string>(&value);
            const auto found = text ? std::find(names.begin(), names.end(), *text) : names.end();
            if (found == names.end()) throw fmt::format("must be {}", range);
            using Enum = std::remove_reference_t<decltype(ref(s))>;
            ref(s) = static_cast<Enum>(found - names.begin());
          }};
}

constexpr std::array retryable = {AttemptOutcome::rejected, AttemptOutcome::timed_out,
                                  AttemptOutcome::failed_status, AttemptOutcome::connect_error,
                                  AttemptOutcome::io_error};

template <typename Ref>
Access outcomes(Ref ref, std::string_view range) {
  return {"set", range,
          [ref](const Scenario& s) {
            std::vector<std::string> names;
            for (const AttemptOutcome o : retryable) {
              if (ref(const_cast<Scenario&>(s)).contains(o)) names.emplace_back(name(o));
            }
            return FieldValue(names);
          },
          [=](Scenario& s, const FieldValue& value) {
            const auto* list = std::get_if<std::vector<std::string>>(&value);
            if (!list) throw fmt::format("must be a list of outcomes: {}", range);
            OutcomeSet set;
            for (const std::string& word : *list) {
              const auto found = std::find_if(retryable.begin(), retryable.end(),
                                              [&](AttemptOutcome o) { return name(o) == word; });
              if (found == retryable.end()) {
                throw fmt::format("no such outcome '{}'; use {}", word, range);
              }
              set.insert(*found);
            }
            ref(s) = set;
          }};
}

Field field(std::string_view table, std::string_view name, EngineSet engines, Access access,
            std::string_view help) {
  return {table, name,    access.type,           access.range,
          help,  engines, std::move(access.get), std::move(access.set)};
}

// Reaches a member; `s` is the scenario.
#define MEMBER(path)          \
  [](Scenario & s) -> auto& { \
    return s.path;            \
  }

std::vector<Field> make_fields() {
  using namespace std::chrono_literals;
  constexpr Duration hour = 1h;
  return {
      field("", "seed", sampled,
            integer(MEMBER(seed), "from 0 to 9223372036854775807", 0, INT64_MAX),
            "seed of every random draw; the same seed gives the same draws"),
      field("", "settle", everyone,
            duration_or(MEMBER(settle), "auto",
                        "from 0ms to below the duration, or auto (a third of it)", 0ns, 24 * hour),
            "where the settled window [settle, duration) begins"),
      field("", "drain_limit", sampled | engine_bit(Engine::fluid),
            duration(MEMBER(drain_limit), "from 0ms to 1h", 0ns, hour),
            "how long a run waits for what is in flight after the duration"),

      field("service", "workers", everyone,
            integer(MEMBER(service.workers), "from 1 to 1000000", 1, 1'000'000),
            "requests served at once"),
      field("service", "work", everyone,
            duration(MEMBER(service.work), "from 1us to 1h", 1us, hour),
            "mean work time of a request on a worker"),
      field("service", "work_kind", engine_bit(Engine::testbed),
            choice(MEMBER(service.work_kind), "timer, sleep or spin", {"timer", "sleep", "spin"}),
            "a due time on the steady clock, a sleep that drifts, or CPU burnt"),
      field("service", "work_shape", everyone,
            choice(MEMBER(service.work_shape), "fixed, exponential or lognormal",
                   {"fixed", "exponential", "lognormal"}),
            "how work times are distributed around the mean"),
      field("service", "work_cv", sampled,
            number(MEMBER(service.work_cv), "from 0.01 to 100", 0.01, 100),
            "coefficient of variation of lognormal work"),
      field("service", "queue", everyone,
            integer_or(MEMBER(service.queue), "auto",
                       "from 0 to 10000000, or auto (useful at 0.9 x timeout)", 0, 10'000'000),
            "waiting places, the workers not counted"),
      field("service", "discipline", everyone, choice(MEMBER(service.discipline), "fifo", {"fifo"}),
            "in which order waiting requests are served"),
      field("service", "max_connections", engine_bit(Engine::testbed),
            integer(MEMBER(service.max_connections), "from 1 to 1000000", 1, 1'000'000),
            "open connections; beyond it new ones are closed at once"),

      field("client", "rate", everyone,
            rate(MEMBER(client.rate), "from 0.001 to 10000000", 0.001, 1e7),
            "requests offered per second"),
      field("client", "arrivals", everyone,
            choice(MEMBER(client.arrivals), "even or poisson", {"even", "poisson"}),
            "how requests are spaced"),
      field("client", "duration", everyone,
            duration(MEMBER(client.duration), "from 1ms to 24h", 1ms, 24 * hour),
            "how long requests are offered"),
      field("client", "timeout", everyone,
            duration(MEMBER(client.timeout), "from 1us to 1h", 1us, hour),
            "how long an attempt waits for its reply, connecting included"),
      field("client", "retries", everyone,
            integer(MEMBER(client.retries), "from 0 to 1000", 0, 1000),
            "extra attempts per request"),
      field("client", "retry_on", everyone,
            outcomes(MEMBER(client.retry_on),
                     "rejected, timed_out, failed_status, connect_error, io_error"),
            "outcomes of an attempt after which it is retried"),
      field("client", "backoff", everyone,
            duration(MEMBER(client.backoff), "from 0ms to 1h", 0ns, hour),
            "delay before each retry"),
      field("client", "abandon", engine_bit(Engine::testbed),
            choice(MEMBER(client.abandon), "fin or rst", {"fin", "rst"}),
            "how a client leaves after a timeout: orderly close or reset"),
      field("client", "max_in_flight", sampled,
            integer_or(MEMBER(client.max_in_flight), "auto",
                       "from 1 to 10000000, or auto (as the machine allows)", 1, 10'000'000),
            "attempts in flight at once; beyond it requests are unsent"),

      field("network", "round_trip", everyone,
            duration(MEMBER(network.round_trip), "from 0ms to 1h", 0ns, hour),
            "time on the wire, both ways together (predicted; a real run measures its own)"),

      field("simulation", "horizon", engine_bit(Engine::simulate),
            duration_or(MEMBER(simulation.horizon), "none", "from 0ms to 24h, or none", 0ns,
                        24 * hour),
            "events after it are not counted"),
      field("simulation", "first_arrival",
            sampled | engine_bit(Engine::fluid) | engine_bit(Engine::markov),
            choice(MEMBER(simulation.first_arrival), "zero or gap", {"zero", "gap"}),
            "the first request at the start, or one gap after it"),
  };
}
#undef MEMBER

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

void set_field(Scenario& scenario, const Field& field, const FieldValue& value,
               std::string_view where, std::string_view shown_as) {
  try {
    field.set(scenario, value);
  } catch (const std::string& remedy) {
    throw InvalidInput(where, shown_as,
                       fmt::format("{}; got '{}'", remedy, printable(to_text(value))));
  }
}

FieldValue value_from_text(const Field& field, std::string_view text) {
  if (field.type == "set") {
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

void validate(const Scenario& s, std::string_view where) {
  if (s.settle && *s.settle >= s.client.duration) {
    throw InvalidInput(where, "settle",
                       fmt::format("must be below the duration ({}); got '{}'",
                                   format_duration(s.client.duration), format_duration(*s.settle)));
  }
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
