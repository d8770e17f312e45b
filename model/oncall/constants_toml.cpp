// The constants in TOML: reading says which one is wrong and where; writing is complete and reads
// back equal.
#include "core/error.hpp"
#include "core/scenario_toml.hpp"
#include "core/units.hpp"
#include "model/oncall/constants.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace retrystorm::oncall {
namespace {

std::string text_of(Kind kind, double value) {
  switch (kind) {
    case Kind::duration:
    case Kind::minutes:
      return fmt::format("\"{}\"", format_duration(from_seconds(value)));
    case Kind::clock:
      return fmt::format("\"{}\"", format_clock(static_cast<int>(value)));
    case Kind::whole:
      return fmt::format("{}", static_cast<std::int64_t>(value));
    case Kind::number:
      return format_number(value);
  }
  return {};
}

std::string range_of(const Constant& c) {
  constexpr std::string_view kinds[] = {"a number", "a whole number", "a duration",
                                        "a duration of whole minutes", "a clock time"};
  return fmt::format("must be {} from {} to {}", kinds[static_cast<std::size_t>(c.kind)],
                     text_of(c.kind, c.low), text_of(c.kind, c.high));
}

// The value in the constant's unit; nothing if the node is of another kind.
std::optional<double> value_of(const Constant& c, const toml::node& node) {
  const auto whole = node.value_exact<std::int64_t>();
  const auto real = node.value_exact<double>();
  const auto text = node.value_exact<std::string>();
  switch (c.kind) {
    case Kind::number:
      if (whole) return static_cast<double>(*whole);
      return real ? std::optional(*real + 0.0) : std::nullopt;  // -0 is 0
    case Kind::whole:
      if (whole) return static_cast<double>(*whole);
      return std::nullopt;
    case Kind::duration:
    case Kind::minutes: {
      const auto duration = text ? parse_duration(*text) : std::nullopt;
      if (!duration) return std::nullopt;
      if (c.kind == Kind::minutes && duration->count() % 60'000'000'000 != 0) return std::nullopt;
      return static_cast<double>(duration->count()) / 1e9;  // the nearest, 0.05 for "50ms"
    }
    case Kind::clock: {
      const int minutes = text ? parse_clock(*text) : -1;
      return minutes < 0 ? std::nullopt : std::optional<double>(minutes);
    }
  }
  return std::nullopt;
}

// What must hold between constants.
void check_together(const Constants& v, std::string_view file) {
  const auto require = [&](bool ok, std::string_view name, std::string_view remedy) {
    if (!ok) throw InvalidInput(file, name, remedy);
  };
  require(v.query_time <= v.query_time_limit, "query_time", "must be at most query_time_limit");
  require(v.instances <= v.max_instances, "instances", "must be at most max_instances");
  require(v.floor <= v.max_instances, "floor", "must be at most max_instances");
  require(v.opening_clock < v.closing_clock, "closing_clock", "must be after opening_clock");
  require(v.cold_cache_opening_clock < v.cold_cache_closing_clock, "cold_cache_closing_clock",
          "must be after cold_cache_opening_clock");
  require(v.surge_earliest <= v.surge_latest, "surge_latest", "must not be before surge_earliest");
}

}  // namespace

Constants constants_from_toml(std::string_view text, std::string_view file) {
  Constants values;
  const toml::table root = parse_toml(text, file);
  for (const auto& [key, node] : root) {
    const std::string where = fmt::format("{}:{}", file, node.source().begin.line);
    const std::string_view name = key.str();
    const auto all = constants();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Constant& c) { return c.name == name; });
    if (found == all.end()) {
      throw InvalidInput(where, name,
                         "no such constant; `retrystorm oncall --print-model` lists them");
    }
    const auto value = value_of(*found, node);
    if (!value || !(*value >= found->low && *value <= found->high)) {
      throw InvalidInput(where, name, range_of(*found));
    }
    values.*found->value = *value;
  }
  check_together(values, file);
  return values;
}

std::string constants_to_toml(const Constants& values) {
  std::string text =
      "# The constants of the on-call model: a teaching model, not for operational decisions.\n"
      "# Every value is an assumption; (ours) where the publication leaves it open.\n";
  std::string_view group;
  for (const Constant& c : constants()) {
    if (c.group != group) {
      group = c.group;
      text += fmt::format("\n# {}\n", group);
    }
    text += fmt::format("{} = {}  # {}{}\n", c.name, text_of(c.kind, values.*c.value),
                        c.published ? "" : "(ours) ", c.help);
  }
  return text;
}

std::string value_text(const Constant& constant, const Constants& values) {
  return text_of(constant.kind, values.*constant.value);
}

int parse_clock(std::string_view text) {
  const auto digit = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; };
  if (text.size() != 5 || text[2] != ':' || !digit(0) || !digit(1) || !digit(3) || !digit(4)) {
    return -1;
  }
  const int hours = (text[0] - '0') * 10 + (text[1] - '0');
  const int minutes = (text[3] - '0') * 10 + (text[4] - '0');
  if (minutes > 59 || hours * 60 + minutes > 24 * 60) return -1;
  return hours * 60 + minutes;
}

std::string format_clock(int minutes) {
  return fmt::format("{:02}:{:02}", minutes / 60, minutes % 60);
}

}  // namespace retrystorm::oncall
