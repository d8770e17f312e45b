#include "experiments/report/report.hpp"

#include "core/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// For each repeat the try that counts: the trusted one, or the last.
std::vector<const Try*> counting_tries(const std::vector<Try>& tries) {
  std::map<std::int64_t, const Try*> by_repeat;
  for (const Try& t : tries) {
    const Try*& counted = by_repeat[t.repeat];
    if (!counted || !counted->trusted) counted = &t;
  }
  std::vector<const Try*> result;
  for (const auto& [repeat, t] : by_repeat) result.push_back(t);
  return result;
}

// The one with the median whole-run goodput (of an even number the lower of the two).
const Try* median_goodput(std::vector<const Try*> tries) {
  if (tries.empty()) return nullptr;
  const auto goodput = [](const Try* t) { return t->tally.whole.goodput_per_s.value_or(0); };
  const auto middle = tries.begin() + static_cast<std::ptrdiff_t>((tries.size() - 1) / 2);
  std::nth_element(tries.begin(), middle, tries.end(),
                   [&](const Try* a, const Try* b) { return goodput(a) < goodput(b); });
  return *middle;
}

bool holds_records(const Tally& tally) {
  const Counts& c = tally.counts;
  return c.offered.value_or(0) > 0 || c.attempts.value_or(0) > 0 || c.arrived.value_or(0) > 0;
}

// The try that an arm's measurement is of; nullptr for none, or one that is not known.
const Try* shown_try(const ArmReport& arm) {
  for (const Try& t : arm.tries) {
    if (arm.measured_try && t.key.try_number == arm.measured_try->try_number) return &t;
  }
  return nullptr;
}

// Severity of a status, so that one bad repeat shows.
int severity(TryStatus status) {
  switch (status) {
    case TryStatus::done:
      return 0;
    case TryStatus::failed:
      return 1;
    case TryStatus::interrupted:
      return 2;
    case TryStatus::running:
    case TryStatus::killed:
      break;
  }
  return 3;
}

void measure(ArmReport& arm) {
  const std::vector<const Try*> counting = counting_tries(arm.tries);
  if (counting.empty()) {
    arm.reasons.emplace_back("not run");
    return;
  }
  TryStatus worst = TryStatus::done;
  std::vector<const Try*> trusted;
  std::vector<const Try*> usable;
  std::vector<const Try*> cut_short;  // a process died: what there is up to then
  for (const Try* t : counting) {
    arm.repeats.push_back(t->tally);
    if (severity(t->status) > severity(worst)) worst = t->status;
    if (t->trusted) trusted.push_back(t);
    if (t->status != TryStatus::failed) {
      usable.push_back(t);
    } else if (holds_records(t->tally)) {
      cut_short.push_back(t);
    }
    for (const std::string& reason : t->reasons) {
      arm.reasons.push_back(
          t->repeats > 1 ? fmt::format("repeat {} of {}: {}", t->repeat + 1, t->repeats, reason)
                         : reason);
    }
  }
  arm.status = name(worst);
  const std::int64_t wanted = counting.front()->repeats;
  if (static_cast<std::int64_t>(counting.size()) < wanted) {
    arm.reasons.push_back(fmt::format("only {} of {} repeats were run", counting.size(), wanted));
  }
  arm.trusted = arm.reasons.empty();
  const Try* measured = median_goodput(!trusted.empty()  ? trusted
                                       : !usable.empty() ? usable
                                                         : cut_short);
  if (!measured) return;
  arm.measured = measured->tally;
  arm.measured_try = measured->key;
  arm.opening = measured->opening;
  if (trusted.size() > 1) {
    std::vector<Tally> tallies;
    for (const Try* t : trusted) tallies.push_back(t->tally);
    arm.measured->spread = spread_of(tallies);
  }
}

}  // namespace

const Tally* simulated(const std::map<std::string, Tally>& predictions) {
  const auto found = predictions.find("simulate");
  return found == predictions.end() ? nullptr : &found->second;
}

std::vector<std::string> not_predicted_words(const ArmReport& arm) {
  std::vector<std::string> lines;
  for (const NotPredicted& none : arm.predicted.refused) {
    lines.push_back(
        fmt::format("not predicted, {} by {}: {}", none.prediction, none.engine, none.why));
  }
  return lines;
}

bool comparable(const ArmReport& arm) {
  if (!arm.measured) return false;
  if (const Try* shown = shown_try(arm)) return shown->status == TryStatus::done;
  // An earlier version's, which showed nothing of a try that had failed.
  return arm.status != name(TryStatus::interrupted) && arm.status != name(TryStatus::killed);
}

Report make_report(const Experiment& experiment, const std::vector<Arm>& arms,
                   std::vector<Try> tries) {
  Report report;
  report.experiment = experiment.name;
  report.question = experiment.question;
  if (!tries.empty()) report.environment = tries.front().environment;
  report.environment.erase("during");
  for (const Arm& arm : arms) {
    ArmReport entry;
    entry.name = arm.name;
    entry.scenario = arm.scenario;
    entry.published = published_for(arm.scenario);
    for (Try& t : tries) {
      if (t.key.arm == arm.name) entry.tries.push_back(std::move(t));
    }
    measure(entry);
    const Try* shown = shown_try(entry);
    const bool whole = entry.status == "done" ||
                       (entry.status == "failed" && !(shown && shown->status != TryStatus::done));
    const auto made = static_cast<std::int64_t>(entry.repeats.size());
    if (!whole || made < entry.tries.front().repeats) report.partial = true;
    report.arms.push_back(std::move(entry));
  }
  return report;
}

int exit_code_of(const Report& report) {
  const bool trusted = !report.partial && std::all_of(report.arms.begin(), report.arms.end(),
                                                      [](const ArmReport& a) { return a.trusted; });
  return trusted ? exit_done : exit_untrusted;
}

}  // namespace retrystorm
