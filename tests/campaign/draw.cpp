#include "tests/campaign/draw.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/scenario_toml.hpp"
#include "model/honours.hpp"
#include "model/simulate/simulate.hpp"
#include "tests/campaign/budget.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

namespace retrystorm::campaign {
namespace {

// The number in the first word of a range's bound: "1", "1us"; durations in nanoseconds.
std::optional<double> bound_in(const Field& field, std::string_view text) {
  text = text.substr(0, text.find_first_of(" ,"));
  if (field.type == "duration") {
    const auto length = parse_duration(text);
    return length ? std::optional(static_cast<double>(length->count())) : std::nullopt;
  }
  return parse_number(text);
}

// The words a field may take beside numbers: "auto".
std::vector<std::string> words_beside(const Field& field) {
  constexpr std::string_view mark = ", or ";
  const std::size_t at = field.range.find(mark);
  if (at == field.range.npos || !field.words.empty()) return {};
  const std::string_view rest = std::string_view(field.range).substr(at + mark.size());
  return {std::string(rest.substr(0, rest.find_first_of(" ,")))};
}

double three_digits(double value) {
  return std::strtod(fmt::format("{:.3g}", value).c_str(), nullptr);
}

std::optional<double> default_of(const Field& field) {
  static const Scenario defaults;
  const FieldValue value = field.get(defaults);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return bound_in(field, *text);
  return std::nullopt;
}

// Sizes from one to some such number where a default gives none: of retries, of a delay.
double least_of(const Field& field) {
  return field.type == "duration" ? 1e6 : field.type == "integer" ? 1 : 0.1;
}

enum class Reach { live, anywhere };

std::string number_for(const Field& field, const Bounds& bounds, Dice& dice, Reach reach) {
  const double least = least_of(field);
  const double high = bounds.high.value_or(1000 * least);
  const double usual = std::clamp(default_of(field).value_or(0), bounds.low, high);
  if (reach == Reach::anywhere && dice.chance(0.1)) {
    return literal(field, dice.chance(0.5) ? bounds.low : high);
  }
  // The ends of what is drawn are above 0; 0 itself is an end of the range.
  const double floor = std::max(bounds.low, std::min(least, high) * 1e-3);
  if (reach == Reach::anywhere && dice.chance(0.15)) {
    return literal(field, std::clamp(dice.log_between(floor, high), bounds.low, high));
  }
  const double factor = reach == Reach::live ? 4 : 30;
  const double middle = usual > 0 ? usual : 3 * least;
  const double drawn = dice.log_between(middle / factor, middle * factor);
  return literal(field, std::clamp(drawn, std::max(bounds.low, floor), high));
}

std::string list_of(const std::vector<std::string>& words) {
  return toml_literal(FieldValue(words));
}

// A list of texts has a form of its own, which its range only describes.
std::string stages_of(Dice& dice) {
  std::vector<std::string> stages;
  do {
    const auto rate = [&] { return std::llround(dice.log_between(10, 1000)); };
    const std::string first = fmt::format("{}/s", rate());
    const std::string last = dice.chance(0.3) ? fmt::format("..{}/s", rate()) : std::string();
    const double length = dice.log_between(20, 2000);
    stages.push_back(fmt::format("{}{}:{}ms", first, last, std::llround(length)));
  } while (dice.chance(0.5));
  return list_of(stages);
}

std::string value_for(const Field& field, Dice& dice, Reach reach) {
  if (field.type == "choice") return toml_literal(FieldValue(dice.one_of(field.words)));
  if (field.type == "set") {
    std::vector<std::string> some;
    for (const std::string& word : field.words) {
      if (dice.chance(0.5)) some.push_back(word);
    }
    return list_of(some);
  }
  if (field.path() == "client.stages") return stages_of(dice);
  if (field.path() == "client.retry_statuses") {
    return list_of({fmt::format("{}", std::llround(dice.between(300, 599)))});
  }
  const std::vector<std::string> words = words_beside(field);
  if (!words.empty() && dice.chance(0.2)) return toml_literal(FieldValue(dice.one_of(words)));
  if (const auto bounds = bounds_of(field)) return number_for(field, *bounds, dice, reach);
  if (field.path() == "client.retry_statuses") return list_of({"500", "503"});
  return toml_literal(field.get(Scenario{}));
}

void set_line(Case& c, const std::string& key, const std::string& value) {
  const auto found = std::find_if(c.lines.begin(), c.lines.end(),
                                  [&](const Line& line) { return line.key == key; });
  if (found == c.lines.end()) {
    c.lines.push_back({key, value});
  } else {
    found->value = value;
  }
}

Case drawn(std::uint64_t seed, std::uint64_t number, Reach reach) {
  Dice dice(seed, number);
  // Some cases move hardly anything, some nearly everything.
  const double share = dice.between(0.1, 0.9);
  // Half of the choices stay at their defaults, so that engines have scenarios in common.
  const double choices = share * dice.between(0, 1);
  // Every fifth case is the one that the chain models, every third the one without retries.
  const bool markovian = reach == Reach::anywhere && dice.chance(0.2);
  const bool once = reach == Reach::anywhere && dice.chance(0.33);
  Case c;
  for (const Field& field : fields()) {
    Dice own(seed, number, field.path());
    if (!own.chance(field.type == "choice" ? choices : share)) continue;
    c.lines.push_back({field.path(), value_for(field, own, reach)});
  }
  if (markovian) {
    set_line(c, "client.arrivals", "\"poisson\"");
    set_line(c, "service.work_shape", "\"exponential\"");
  }
  if (once) std::erase_if(c.lines, [](const Line& line) { return line.key == "client.retries"; });
  return c;
}

// Leaves lines out, by chance, until the others do not contradict each other.
void make_whole(Case& c, Dice& dice) {
  for (;;) {
    try {
      scenario_of(c);
      return;
    } catch (const InvalidInput&) {
      const double at = dice.between(0, static_cast<double>(c.lines.size()));
      c.lines.erase(c.lines.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

void leave_out(Case& c, std::string_view key) {
  std::erase_if(c.lines, [&](const Line& line) { return line.key == key; });
}

std::string duration_literal(double seconds_of_it) {
  const auto ns = static_cast<std::int64_t>(std::max(1.0, seconds_of_it * 1e3)) * 1'000'000;
  return fmt::format("\"{}\"", format_duration(Duration(ns)));
}

}  // namespace

std::optional<Bounds> bounds_of(const Field& field) {
  if (!field.words.empty() || field.type == "texts") return std::nullopt;
  const std::string_view range = field.range;
  constexpr std::string_view from = "from ";
  constexpr std::string_view to = " to ";
  const std::size_t middle = range.find(to);
  if (!range.starts_with(from) || middle == range.npos) return std::nullopt;
  const auto low = bound_in(field, range.substr(from.size()));
  if (!low) return std::nullopt;
  return Bounds{*low, bound_in(field, range.substr(middle + to.size()))};
}

std::string literal(const Field& field, double value) {
  if (field.type == "duration") {
    // Whole numbers of nanoseconds, exact at the ends of the range.
    const double digits = value < 1e15 ? three_digits(value) : value;
    return fmt::format("\"{}\"", format_duration(Duration(std::llround(digits))));
  }
  if (field.type == "integer") {
    return fmt::format("{}", value >= 0x1p63 ? INT64_MAX : std::llround(value));
  }
  return toml_literal(FieldValue(three_digits(value)));
}

Case draw(std::uint64_t seed, std::uint64_t number) {
  Case c = drawn(seed, number, Reach::anywhere);
  Dice whole(seed, number, "made whole");
  Scenario s;
  try {
    s = scenario_of(c);
  } catch (const InvalidInput&) {
    if (whole.chance(0.1)) return c;  // it contradicts itself, and that is a case too
    make_whole(c, whole);
    s = scenario_of(c);
  }
  // As long a run as the campaign has time for.
  Dice dice(seed, number, "how long");
  if (!s.client.stages.empty()) {
    if (attempts_at_most(s) <= usual_attempts) return c;
    leave_out(c, "client.stages");
    s = scenario_of(c);
  }
  const double attempts_per_s = attempts_at_most(s) / seconds(s.client.duration);
  const double most = dice.log_between(10, usual_attempts) / attempts_per_s;
  if (seconds(s.client.duration) <= most) return c;
  set_line(c, "client.duration", duration_literal(most));
  try {
    scenario_of(c);
  } catch (const InvalidInput&) {  // what settles must do so within the run
    leave_out(c, "settle");
  }
  return c;
}

Case draw_live(std::uint64_t seed, std::uint64_t number) {
  Case c = drawn(seed, number, Reach::live);
  keep_what_runs(c);
  Dice dice(seed, number, "live");
  // The load is said below.
  for (const char* key :
       {"client.stages", "client.users", "client.think", "client.think_shape", "settle"}) {
    leave_out(c, key);
  }
  make_whole(c, dice);
  set_line(c, "client.duration", duration_literal(dice.log_between(0.3, 2)));
  set_line(c, "drain_limit", duration_literal(dice.log_between(0.05, 1)));
  // A thousand attempts a second at most; whole, as people write it.
  Scenario s;
  try {
    s = scenario_of(c);
  } catch (const InvalidInput&) {
    std::erase_if(c.lines, [](const Line& line) { return line.key == "service.queue"; });
    s = scenario_of(c);
  }
  const double most = 1000.0 / static_cast<double>(std::min<std::int64_t>(s.client.retries, 4) + 1);
  if (s.client.retries > 4) set_line(c, "client.retries", "4");
  const double wanted = std::min({s.client.rate, most, 3 * ceiling(s)});
  set_line(c, "client.rate", fmt::format("{}", std::max(20.0, std::round(wanted))));
  return c;
}

void keep_what_runs(Case& c) {
  std::erase_if(c.lines, [](const Line& line) {
    try {
      return !unmodelled(Engine::testbed, scenario_of({{line}, "", ""})).empty();
    } catch (const InvalidInput&) {
      return true;
    }
  });
}

}  // namespace retrystorm::campaign
