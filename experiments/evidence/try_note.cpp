// The note of a try as JSON, both ways.
#include "core/error.hpp"
#include "core/json.hpp"
#include "core/ledger.hpp"
#include "experiments/evidence/try.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

json::value ended_to_json(const std::optional<ProcessEnd>& ended) {
  if (!ended) return nullptr;
  return {{"exit_code", ended->exit_code},
          {"signal", ended->signal},
          {"user_s", ended->user_s},
          {"system_s", ended->system_s},
          {"wall_s", ended->wall_s}};
}

std::optional<ProcessEnd> ended_from_json(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains({key.data(), key.size()});
  if (!value || !value->is_object()) return std::nullopt;
  const json::object& o = value->get_object();
  ProcessEnd ended;
  ended.exit_code = static_cast<int>(number_at(o, "exit_code").value_or(0));
  ended.signal = static_cast<int>(number_at(o, "signal").value_or(0));
  ended.user_s = number_at(o, "user_s").value_or(0);
  ended.system_s = number_at(o, "system_s").value_or(0);
  ended.wall_s = number_at(o, "wall_s").value_or(0);
  return ended;
}

json::value imported_to_json(const std::optional<Imported>& imported) {
  if (!imported) return nullptr;
  return {{"attempts", imported->attempts},
          {"requests", imported->requests},
          {"arrivals", imported->arrivals},
          {"amendments_lost", imported->amendments_lost},
          {"gaps", json::value_from(imported->gaps)}};
}

std::optional<Imported> imported_from_json(const json::object& object) {
  const json::value* value = object.if_contains("imported");
  if (!value || !value->is_object()) return std::nullopt;
  const json::object& o = value->get_object();
  const auto whole = [&](std::string_view key) {
    return static_cast<std::uint64_t>(whole_at(o, key));
  };
  Imported imported{
      whole("attempts"), whole("requests"), whole("arrivals"), whole("amendments_lost"), {}};
  if (const json::value* gaps = o.if_contains("gaps"); gaps && gaps->is_array()) {
    for (const json::value& gap : gaps->get_array()) {
      if (gap.is_string()) imported.gaps.emplace_back(gap.get_string());
    }
  }
  return imported;
}

json::object object_or_empty(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains({key.data(), key.size()});
  return value && value->is_object() ? value->get_object() : json::object();
}

}  // namespace

json::value to_json(const TryNote& note) {
  // `repeat`, `round` and `rounds` are what earlier versions called try_number, repeat and
  // repeats; keys stay.
  return {{"arm", note.key.arm},
          {"try_number", note.key.try_number},
          {"repeat", note.key.try_number},
          {"round", note.repeat},
          {"rounds", note.repeats},
          {"token", format_token(note.token)},
          {"status", name(note.status)},
          {"failure", note.failure},
          {"scenario", to_json(note.scenario)},
          {"limits", to_json(note.limits)},
          {"service", ended_to_json(note.service)},
          {"generator", ended_to_json(note.generator)},
          {"service_said", note.service_said},
          {"generator_said", note.generator_said},
          {"environment", note.environment},
          {"prometheus", note.scraped ? to_json(*note.scraped) : json::value()},
          {"imported", imported_to_json(note.imported)}};
}

TryNote note_from_json(const json::value& value, std::string_view where) {
  if (!value.is_object()) throw InvalidInput(where, "", "must be an object");
  const json::object& object = value.get_object();
  TryNote note;
  note.key.arm = text_at(object, "arm", where);
  note.key.try_number = whole_at(object, "repeat");
  note.repeat = whole_at(object, "round");
  note.repeats = whole_at(object, "rounds", 1);
  const auto token = parse_token(text_at(object, "token", where));
  if (!token) throw InvalidInput(where, "token", "must be 16 hexadecimal digits");
  note.token = *token;
  const std::string status = text_at(object, "status", where);
  const auto found = std::find(try_status_names.begin(), try_status_names.end(), status);
  if (found == try_status_names.end()) {
    throw InvalidInput(where, "status", fmt::format("no such status: '{}'", printable(status)));
  }
  note.status = static_cast<TryStatus>(found - try_status_names.begin());
  note.failure = text_at(object, "failure", where);
  note.scenario = scenario_from_json(object_at(object, "scenario", where), where);
  note.limits = limits_from_json(object_at(object, "limits", where));
  note.service = ended_from_json(object, "service");
  note.generator = ended_from_json(object, "generator");
  note.service_said = object_or_empty(object, "service_said");
  note.generator_said = object_or_empty(object, "generator_said");
  note.environment = object_or_empty(object, "environment");
  if (const json::object scraped = object_or_empty(object, "prometheus"); !scraped.empty()) {
    note.scraped = scraped_from_json(scraped, where);
  }
  note.imported = imported_from_json(object);
  return note;
}

}  // namespace retrystorm
