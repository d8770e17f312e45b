// The note of a try as JSON, both ways.
#include "core/error.hpp"
#include "core/json_reader.hpp"
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

std::optional<ProcessEnd> ended_from_json(const std::optional<JsonObject>& object) {
  if (!object) return std::nullopt;
  ProcessEnd ended;
  ended.exit_code = static_cast<int>(object->number("exit_code").value_or(0));
  ended.signal = static_cast<int>(object->number("signal").value_or(0));
  ended.user_s = object->number("user_s").value_or(0);
  ended.system_s = object->number("system_s").value_or(0);
  ended.wall_s = object->number("wall_s").value_or(0);
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

std::optional<Imported> imported_from_json(const std::optional<JsonObject>& object) {
  if (!object) return std::nullopt;
  const auto whole = [&](std::string_view key) {
    return static_cast<std::uint64_t>(object->whole(key));
  };
  return Imported{whole("attempts"), whole("requests"), whole("arrivals"), whole("amendments_lost"),
                  object->texts_if("gaps")};
}

json::value digests_to_json(const LedgerDigests& digests) {
  json::object object;
  for (const auto& [file, digest] : digests) object[file] = digest;
  return object;
}

LedgerDigests digests_from_json(const JsonObject& object) {
  LedgerDigests digests;
  for (const auto& member : object.members()) {
    const std::string file(member.key());
    digests[file] = object.text(file);
    if (!is_sha256(digests[file])) object.refuse(file, "must be 64 hexadecimal digits");
  }
  return digests;
}

// An object that is kept as it stands; empty if there is none.
json::object kept(const JsonObject& object, std::string_view key) {
  const auto inner = object.object_if(key);
  return inner ? inner->members() : json::object();
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
          {"sha256", digests_to_json(note.digests)},
          {"prometheus", note.scraped ? to_json(*note.scraped) : json::value()},
          {"imported", imported_to_json(note.imported)}};
}

LedgerDigests told_digests(const TryNote& note) {
  LedgerDigests told;
  for (const json::object* said : {&note.service_said, &note.generator_said}) {
    const auto digests = JsonObject(*said, "last words").object_if("ledger_sha256");
    if (digests) told.merge(digests_from_json(*digests));
  }
  return told;
}

TryNote note_from_json(const json::value& value, std::string_view where) {
  const JsonObject object(value, where);
  TryNote note;
  note.key.arm = object.text("arm");
  note.key.try_number = object.whole("repeat");
  note.repeat = object.whole("round");
  note.repeats = object.whole("rounds", 1);
  const auto token = parse_token(object.text("token"));
  if (!token) object.refuse("token", "must be 16 hexadecimal digits");
  note.token = *token;
  const std::string status = object.text("status");
  const auto found = std::find(try_status_names.begin(), try_status_names.end(), status);
  if (found == try_status_names.end()) {
    object.refuse("status", fmt::format("no such status: '{}'", printable(status)));
  }
  note.status = static_cast<TryStatus>(found - try_status_names.begin());
  note.failure = object.text("failure");
  note.scenario = scenario_from_json(object.object("scenario"));
  note.limits = limits_from_json(object.object("limits"));
  note.service = ended_from_json(object.object_if("service"));
  note.generator = ended_from_json(object.object_if("generator"));
  note.service_said = kept(object, "service_said");
  note.generator_said = kept(object, "generator_said");
  note.environment = kept(object, "environment");
  const auto scraped = object.object_if("prometheus");
  if (scraped && !scraped->members().empty()) note.scraped = scraped_from_json(*scraped);
  if (const auto digests = object.object_if("sha256")) {
    note.digests = digests_from_json(*digests);
  }
  note.imported = imported_from_json(object.object_if("imported"));
  return note;
}

}  // namespace retrystorm
