#include "experiments/evidence/try.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "experiments/evidence/load_from_ledger.hpp"

#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

// A process's last words.
struct Said {
  JsonObject service, generator;
  explicit Said(const TryNote& note)
      : service(note.service_said, "service_said"),
        generator(note.generator_said, "generator_said") {}
};

Count cpu_share(const std::optional<ProcessEnd>& process, double window_s, const JsonObject& said) {
  if (!process || window_s <= 0) return std::nullopt;
  const double threads = said.number("threads").value_or(1);
  return (process->user_s + process->system_s) / (window_s * threads);
}

// What each process says of itself must be what the ledger says: the third witness.
void hear(Try& result, const Said& said) {
  if (said.service.number("bad_requests").value_or(0) > 0) {
    result.reasons.emplace_back("the service was sent requests that it could not read");
  }
  if (result.reconciliation["stranger"] == 0) {  // the service counts strangers, a tally does not
    constexpr std::array<std::string_view, 5> names = {"arrived", "completed", "refused", "skipped",
                                                       "abandoned_seen"};
    for (auto& text : disagreements("service", said.service, result.tally.counts, names)) {
      result.reasons.push_back(std::move(text));
    }
  }
  const auto tally = said.generator.object_if("tally");
  if (const auto counts = tally ? tally->object_if("counts") : std::nullopt) {
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

// The load by the ledger, and what the generator says of it: the same, by the same limits, unless
// one of them is wrong. What ended a thread before its time only the generator knows.
void hear_of_load(Try& result, const JsonObject& generator, std::vector<std::string> by_ledger) {
  const auto failure = generator.given("failure") ? generator.text("failure") : std::string();
  if (!failure.empty()) result.reasons.push_back("the generator: " + printable(failure, 300));
  // Generators of earlier versions judged by the default limits, whatever the run's were.
  if (by_ledger.empty() && failure.empty() && generator.given("limits")) {
    for (const std::string& reason : generator.texts_if("reasons")) {
      result.reasons.push_back("the generator says of itself: " + printable(reason, 300));
    }
  }
  for (std::string& text : by_ledger) result.reasons.push_back(std::move(text));
}

// Why records are missing: a full disk, for one.
void explain_losses(Try& result, std::string_view process, const JsonObject& said) {
  const std::string error = said.text_or("ledger_error", "");
  if (error.empty()) return;
  result.reasons.push_back(fmt::format("the {} lost {} ledger records: {}", process,
                                       said.number("ledger_lost").value_or(0),
                                       printable(error, 300)));
}

void take_warnings(Try& result, std::string_view process, const JsonObject& said) {
  for (const std::string& warning : said.texts_if("warnings")) {
    result.warnings.push_back(fmt::format("{}: {}", process, printable(warning, 300)));
  }
}

void explain_status(Try& result, const TryNote& note) {
  switch (note.status) {
    case TryStatus::done:
      break;
    case TryStatus::failed:
      result.reasons.push_back("failed: " + note.failure);
      if (result.tally.counts.offered.value_or(0) + result.tally.counts.arrived.value_or(0) > 0) {
        result.reasons.back() += "; what its ledgers hold up to then is shown";
      }
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
  const MeasuredWindow window = settled_window_from_ledger(database, note.key, note.scenario);
  result.tally = tally_from_ledger(database, note.key, note.scenario, window);
  result.opening = opening_from_ledger(database, note.key, window);
  result.reconciliation = reconcile(database, note.key, imported);
  result.limits = note.limits;
  const LoadOffered load = load_from_ledger(database, note.key, note.limits);
  result.trust = figures_from_ledger(database, note.key, note.scenario, load);
  const Said said(note);
  const double window_s = result.tally.whole.seconds.value_or(0);
  result.trust.service_cpu_share = cpu_share(note.service, window_s, said.service);
  result.trust.generator_cpu_share = cpu_share(note.generator, window_s, said.generator);
  const auto lost_by_service = said.service.number("ledger_lost");
  const auto lost_by_generator = said.generator.number("ledger_lost");
  if (lost_by_service && lost_by_generator) {
    result.trust.ledger_lost = *lost_by_service + *lost_by_generator;
  }

  take_warnings(result, "service", said.service);
  take_warnings(result, "generator", said.generator);
  explain_status(result, note);
  explain_losses(result, "service", said.service);
  explain_losses(result, "generator", said.generator);
  for (const std::string& gap : imported.gaps) result.reasons.push_back(gap);
  // An identity does not depend on the run having come to its end.
  for (const std::string& broken : broken_identities(result.tally.counts)) {
    result.reasons.push_back("broken identity: " + broken);
  }
  if (note.status == TryStatus::done) {
    for (auto& text : unexplained(result.reconciliation)) result.reasons.push_back(std::move(text));
    hear(result, said);
    // A stranger's arrival is in the metrics and not in the tally: it is a reason of its own.
    if (note.scraped && result.reconciliation["stranger"] == 0) {
      for (auto& text : disagreements(*note.scraped, result.tally)) {
        result.reasons.push_back(std::move(text));
      }
    }
    hear_of_load(result, said.generator, broken_load_limits(load, note.limits));
    for (auto& text : broken_limits(result.trust, note.limits, note.scenario)) {
      result.reasons.push_back(std::move(text));
    }
  } else {
    result.tally.settled = {};
    result.tally.settling = {};
    result.tally.settling.reason = "the run did not come to its end";
    result.trust.schedule_errors.reset();
  }
  result.trusted = result.reasons.empty();
  write_verdict(database, result);
  return result;
}

}  // namespace retrystorm
