#include "experiments/report/settled_arms.hpp"

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "experiments/evidence/settled_from_ledger.hpp"
#include "model/settling/simulate_settled.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr double measured_share = 0.03;  // of the offered rate
constexpr int seeds = 4;                 // of the calibrated continuation, pooled

constexpr std::string_view not_judged = "not judged, the report is of an earlier version";

// Whoever judges says where the window lies, or why there is none.
bool is_unjudged(const Tally& tally) {
  return tally.settled.goodput_per_s && !tally.settling.from_s && tally.settling.reason.empty();
}

void empty_settled(Tally& tally, const Settling& why) {
  tally.settled = {};
  // What its own windows said is nearer to it.
  std::string own = std::move(tally.settling.reason);
  tally.settling = {};
  tally.settling.reason = own.empty() ? why.reason : std::move(own);
  tally.settling.predicted_to_settle_at = why.predicted_to_settle_at;
  std::erase_if(tally.spread, [](const auto& s) { return s.first.starts_with("settled."); });
}

// The measured goodput of the windows in [from_s, to_s).
BatchMean measured_goodput(Database& database, const ArmReport& arm) {
  const Windows windows = windows_of(arm.scenario);
  const WindowMeans means = window_means_from_ledger(database, *arm.measured_try, windows);
  const double start = seconds(since_start(windows.start));
  const double from_s = std::max(arm.measured->settling.from_s.value_or(start), start);
  const auto from = static_cast<std::size_t>((from_s - start) / seconds(windows.length) + 0.5);
  return batch_mean(std::span(means.goodput_per_s).subspan(std::min(from, windows.count)));
}

// Nothing, and `why`, where it costs too much or is interrupted.
std::optional<SettledGoodput> continuation_of(const Calibration& calibration, const Effort& effort,
                                              std::string& why) {
  constexpr std::string_view who = "engine simulate";
  try {
    require_affordable(who, settled_cost(calibration.scenario, seeds), effort);
    Meter meter(who, effort);
    return settled_goodput(calibration.scenario, seeds, {nullptr, calibration.noise, &meter});
  } catch (const InvalidInput& error) {
    why = error.what();
  } catch (const Interrupted&) {
    why = "the run was interrupted";
  }
  return std::nullopt;
}

// Empties what is measured. The other repeats are of the same arm and cannot stand where the
// measured one falls.
void empty_measured(ArmReport& arm, const Settling& why) {
  empty_settled(*arm.measured, why);
  for (Tally& repeat : arm.repeats) empty_settled(repeat, why);
  for (Try& t : arm.tries) empty_settled(t.tally, why);
}

std::string disagreement(const SettledGoodput& later) {
  if (!later.settling.reason.empty()) {
    return "its calibrated continuation does not settle: " + later.settling.reason;
  }
  return fmt::format("its calibrated continuation has {}/s, from {} s to {} s",
                     rate_text(later.goodput_per_s.mean), fixed_text(later.settling.from_s, 1),
                     fixed_text(later.settling.to_s, 1));
}

}  // namespace

void judge_settled(ArmReport& arm, Database& database, const Calibration& calibration,
                   const Effort& effort) {
  if (arm.scenario.client.recorded) {
    if (arm.measured->settling.reason.empty()) {
      arm.measured->settling.note =
          "judged by its windows alone: recorded arrivals cannot be carried on";
    }
    return;
  }
  std::string refusal;
  const auto later = continuation_of(calibration, effort, refusal);
  if (!later) {
    leave_unjudged(arm, refusal);
    return;
  }
  Settling why;
  why.predicted_to_settle_at = later->settling.from_s;
  why.reason = arm.measured->settling.reason;
  if (why.reason.empty()) {
    const bool agrees = later->settling.reason.empty() &&
                        means_agree(measured_goodput(database, arm), later->goodput_per_s,
                                    last_rate(arm.scenario), measured_share);
    if (agrees) return;
    why.reason = disagreement(*later);
  }
  empty_measured(arm, why);
}

void leave_unjudged(ArmReport& arm, const std::string& reason) {
  Settling why;
  why.reason = arm.measured->settling.reason;
  if (why.reason.empty()) why.reason = "its continuation was not simulated: " + reason;
  empty_measured(arm, why);
}

std::string unsettled_words(const ArmReport& arm) {
  if (!arm.measured || arm.measured->settling.reason.empty()) return {};
  const Settling& settling = arm.measured->settling;
  if (settling.reason == not_judged) return fmt::format("settled or not: {}", not_judged);
  std::string text = fmt::format("not settled within {}: {}",
                                 format_duration(arm.scenario.client.duration), settling.reason);
  if (settling.predicted_to_settle_at) {
    text += fmt::format("; simulated to settle at {} s",
                        format_number(std::round(*settling.predicted_to_settle_at * 10) / 10));
  }
  return text;
}

void empty_unjudged(ArmReport& arm) {
  Settling why;
  why.reason = not_judged;
  if (arm.measured && is_unjudged(*arm.measured)) {
    empty_settled(*arm.measured, why);
    empty_unsettled_predictions(arm);
  }
  for (Tally& repeat : arm.repeats) {
    if (is_unjudged(repeat)) empty_settled(repeat, why);
  }
  for (Try& t : arm.tries) {
    if (is_unjudged(t.tally)) empty_settled(t.tally, why);
  }
  if (arm.measured) return;
  for (auto& [engine, tally] : arm.predicted.nominal) {
    if (engine != "stationary" && is_unjudged(tally)) empty_settled(tally, why);
  }
}

void empty_unsettled_predictions(ArmReport& arm) {
  if (!arm.measured || arm.measured->settling.reason.empty()) return;
  const Settling why = arm.measured->settling;
  for (auto* predictions : {&arm.predicted.nominal, &arm.predicted.calibrated}) {
    for (auto& [engine, tally] : *predictions) {
      if (engine != "stationary") empty_settled(tally, why);
    }
  }
  if (arm.predicted.replay) empty_settled(*arm.predicted.replay, why);
}

}  // namespace retrystorm
