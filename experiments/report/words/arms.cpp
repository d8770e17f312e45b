#include "experiments/report/words/arms.hpp"

#include "core/share.hpp"
#include "experiments/report/words/phrases.hpp"

#include <algorithm>
#include <tuple>

namespace retrystorm {
namespace {

constexpr std::int64_t fine_ppm = 990'000;  // of the requests that ended

// A cut leaves requests unfinished; they tell neither way.
double ended(const Tally& t) {
  return t.counts.offered.value_or(0) - t.counts.unfinished_requests.value_or(0);
}

}  // namespace

// The rates that tell how it went in the end: the settled ones, if that window was seen.
const Rates& telling(const Tally& tally) {
  return tally.settled.goodput_per_s && tally.settled.offered_per_s.value_or(0) > 0 ? tally.settled
                                                                                    : tally.whole;
}

std::vector<const ArmReport*> arms_with(const Report& report, Course course) {
  std::vector<const ArmReport*> arms;
  for (const ArmReport& arm : report.arms) {
    if (course_of(arm) == course) arms.push_back(&arm);
  }
  return arms;
}

// The one to tell of: fewest retries, then the lowest load; trusted ones first.
const ArmReport* plainest(const std::vector<const ArmReport*>& arms) {
  const auto key = [](const ArmReport* a) {
    return std::tuple(!a->trusted, a->scenario.client.retries, last_rate(a->scenario));
  };
  const auto found =
      std::min_element(arms.begin(), arms.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
  return found == arms.end() ? nullptr : *found;
}

std::string names_of(const std::vector<const ArmReport*>& arms) {
  std::vector<std::string> names;
  for (const ArmReport* arm : arms) names.push_back("“" + arm->name + "”");
  return listed(names);
}

// Whoever was offered was answered, if not within the settled window: its last replies come after
// it.
bool all_answered(const Tally& t) {
  return t.counts.offered.value_or(0) > 0 && t.counts.succeeded == t.counts.offered &&
         t.counts.attempts == t.counts.succeeded;
}

bool fine_over_the_whole(const Tally& t) {
  return rate_reaches(t.counts.succeeded.value_or(0), ended(t), fine_ppm);
}

Course course_of(const ArmReport& arm) {
  if (!arm.measured) return Course::not_measured;
  const Tally& t = *arm.measured;
  const Rates& r = telling(t);
  const bool settled = &r == &t.settled;
  if (!settled && ended(t) <= 0) return Course::not_measured;
  const bool nearly_all =
      settled ? rate_reaches(*r.goodput_per_s, *r.offered_per_s, fine_ppm) : fine_over_the_whole(t);
  if (nearly_all || all_answered(t)) return Course::fine;
  const double wasted = r.abandoned_share.value_or(0);
  if (wasted >= 0.5) return Course::collapsed;
  return wasted <= 0.02 && t.counts.rejected.value_or(0) > 0 ? Course::shed : Course::strained;
}

Answered answered_of(const std::vector<const ArmReport*>& arms) {
  Answered sum;
  for (const ArmReport* arm : arms) {
    sum.offered += arm->measured->counts.offered.value_or(0);
    sum.succeeded += arm->measured->counts.succeeded.value_or(0);
  }
  return sum;
}

const ArmReport* subject_of(const Report& report) {
  for (const Course course : {Course::collapsed, Course::strained, Course::shed}) {
    if (const ArmReport* arm = plainest(arms_with(report, course))) return arm;
  }
  return nullptr;
}

}  // namespace retrystorm
