#include "experiments/evidence/try.hpp"

#include "core/error.hpp"
#include "core/json.hpp"

#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

const json::object* object_in(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains({key.data(), key.size()});
  return value ? value->if_object() : nullptr;
}

Count cpu_share(const std::optional<ProcessEnd>& process, double window_s,
                const json::object& said) {
  if (!process || window_s <= 0) return std::nullopt;
  const double threads = number_at(said, "threads").value_or(1);
  return (process->user_s + process->system_s) / (window_s * threads);
}

// What each process says of itself must be what the ledger says: the third witness.
void hear(Try& result, const TryNote& note) {
  if (number_at(note.service_said, "bad_requests").value_or(0) > 0) {
    result.reasons.emplace_back("the service was sent requests that it could not read");
  }
  if (result.reconciliation["stranger"] == 0) {  // the service counts strangers, a tally does not
    constexpr std::array<std::string_view, 5> names = {"arrived", "completed", "refused", "skipped",
                                                       "abandoned_seen"};
    for (auto& text : disagreements("service", note.service_said, result.tally.counts, names)) {
      result.reasons.push_back(std::move(text));
    }
  }
  const json::object* tally = object_in(note.generator_said, "tally");
  if (const json::object* counts = tally ? object_in(*tally, "counts") : nullptr) {
    constexpr std::array<std::string_view, 13> names = {"offered",
                                                        "succeeded",
                                                        "gave_up",
                                                        "unsent",
                                                        "attempts",
                                                        "rejected",
                                                        "timed_out",
                                                        "failed_status",
                                                        "connect_error",
                                                        "io_error",
                                                        "late_read",
                                                        "unfinished.attempts",
                                                        "unfinished.requests"};
    for (auto& text : disagreements("generator", *counts, result.tally.counts, names)) {
      result.reasons.push_back(std::move(text));
    }
  }
}

void take_warnings(Try& result, std::string_view process, const json::object& said) {
  const json::value* list = said.if_contains("warnings");
  if (!list || !list->is_array()) return;
  for (const json::value& warning : list->get_array()) {
    if (!warning.is_string()) continue;
    result.warnings.push_back(
        fmt::format("{}: {}", process, printable(std::string_view(warning.get_string()), 300)));
  }
}

void explain_status(Try& result, const TryNote& note) {
  switch (note.status) {
    case TryStatus::done:
      break;
    case TryStatus::failed:
      result.reasons.push_back("failed: " + note.failure);
      break;
    case TryStatus::interrupted:
      result.reasons.emplace_back("interrupted: what there is up to then");
      break;
    case TryStatus::running:
    case TryStatus::killed:
      result.status = TryStatus::killed;
      result.reasons.emplace_back("the run was killed: what its ledgers hold up to then");
      break;
  }
}

void write_verdict(Database& database, const Try& result) {
  Statement(database,
            "UPDATE arms SET trusted = ?, reasons = ?, repeat = ? WHERE arm = ? AND try_number = ?")
      .run(std::int64_t{result.trusted},
           std::string_view(json::serialize(json::value_from(result.reasons))), result.repeat,
           result.key.arm, result.key.try_number);
}

}  // namespace

Try judge(Database& database, const TryNote& note) {
  Try result;
  result.key = note.key;
  result.repeat = note.repeat;
  result.repeats = note.repeats;
  result.status = note.status;
  result.environment = note.environment;
  result.scraped = note.scraped;
  const Imported imported = note.imported.value_or(Imported{});
  result.tally = tally_from_ledger(database, note.key, note.scenario);
  result.opening = opening_from_ledger(database, note.key, note.scenario);
  result.reconciliation = reconcile(database, note.key, imported);
  result.limits = note.limits;
  result.trust = figures_from_ledger(database, note.key, note.scenario, note.limits);
  const double window_s = result.tally.whole.seconds.value_or(0);
  result.trust.service_cpu_share = cpu_share(note.service, window_s, note.service_said);
  result.trust.generator_cpu_share = cpu_share(note.generator, window_s, note.generator_said);
  const auto lost_by_service = number_at(note.service_said, "ledger_lost");
  const auto lost_by_generator = number_at(note.generator_said, "ledger_lost");
  if (lost_by_service || lost_by_generator) {
    result.trust.ledger_lost = lost_by_service.value_or(0) + lost_by_generator.value_or(0);
  }

  take_warnings(result, "service", note.service_said);
  take_warnings(result, "generator", note.generator_said);
  explain_status(result, note);
  for (const std::string& gap : imported.gaps) result.reasons.push_back(gap);
  // An identity does not depend on the run having come to its end.
  for (const std::string& broken : broken_identities(result.tally.counts)) {
    result.reasons.push_back("broken identity: " + broken);
  }
  if (note.status == TryStatus::done) {
    for (auto& text : unexplained(result.reconciliation)) result.reasons.push_back(std::move(text));
    hear(result, note);
    // A stranger's arrival is in the metrics and not in the tally: it is a reason of its own.
    if (note.scraped && result.reconciliation["stranger"] == 0) {
      for (auto& text : disagreements(*note.scraped, result.tally.counts)) {
        result.reasons.push_back(std::move(text));
      }
    }
    for (auto& text : broken_limits(result.trust, note.limits, note.scenario)) {
      result.reasons.push_back(std::move(text));
    }
  } else {
    result.tally.settled = {};  // the settled window was not, or not wholly, seen
    result.trust.schedule_errors.reset();
  }
  result.trusted = result.reasons.empty();
  write_verdict(database, result);
  return result;
}

}  // namespace retrystorm
