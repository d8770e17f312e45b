#include "experiments/report/words/answer.hpp"

#include "core/share.hpp"
#include "experiments/report/words/arms.hpp"

#include <algorithm>

namespace retrystorm {
namespace {

constexpr std::int64_t safe_ppm = 990'000;  // of what is offered
constexpr std::int64_t kept_ppm = 900'000;  // of what load and ceiling allow

bool falls(double goodput, double offered, double limit) {
  return !rate_reaches(goodput, std::min(offered, limit), kept_ppm);
}

void measured_loads(Answer& answer, const Report& report, const std::vector<std::size_t>& arms) {
  bool safe = true;
  for (const std::size_t i : arms) {
    const ArmReport& arm = report.arms[i];
    if (!arm.measured || !arm.trusted) continue;
    const Rates& rates = telling(*arm.measured);
    const double rate = arm.scenario.client.rate;
    if (course_of(arm) == Course::fine) {
      if (safe) answer.safe_up_to = {rate, i, {}};
      continue;
    }
    safe = false;
    if (rates.goodput_per_s && falls(*rates.goodput_per_s, rate, ceiling(arm.scenario))) {
      answer.falls_at = {rate, i, {}};
      return;
    }
  }
}

void predicted_loads(Answer& answer, std::span<const CliffPoint> points, double limit) {
  bool safe = true;
  for (const CliffPoint& point : points) {
    const Count& goodput = point.settled ? point.settled : point.whole;
    const Count& offered = point.settled ? point.settled_offered : point.whole_offered;
    if (!goodput) continue;
    if (safe && rate_reaches(*goodput, offered.value_or(point.rate), safe_ppm)) {
      answer.safe_up_to.predicted_per_s = point.rate;
      continue;
    }
    safe = false;
    if (falls(*goodput, offered.value_or(point.rate), limit)) {
      answer.falls_at.predicted_per_s = point.rate;
      return;
    }
  }
}

}  // namespace

std::vector<std::size_t> same_but_load(const Report& report, const ArmReport& arm) {
  const auto of = [&](const ArmReport& other) {
    Scenario same = other.scenario;
    same.client.rate = arm.scenario.client.rate;
    return to_json(same) == to_json(arm.scenario);
  };
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < report.arms.size(); ++i) {
    if (of(report.arms[i])) list.push_back(i);
  }
  std::stable_sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
    return report.arms[a].scenario.client.rate < report.arms[b].scenario.client.rate;
  });
  return list;
}

Answer answer_of(const Report& report, const ArmReport& told, std::span<const CliffPoint> predicted,
                 const Words& words) {
  Answer answer;
  measured_loads(answer, report, same_but_load(report, told));
  predicted_loads(answer, predicted, ceiling(told.scenario));
  if (!words.advice) return answer;
  const auto& changes = words.advice->changes;  // the best first
  const auto best = std::find_if(changes.begin(), changes.end(),
                                 [&](const Change& c) { return helps(c, *words.advice); });
  const auto cure = std::find_if(changes.begin(), changes.end(), [](const Change& c) {
    return c.removes_second_state.value_or(false);
  });
  if (best != changes.end()) {
    answer.knob = *best;
  } else if (cure != changes.end()) {
    answer.knob = *cure;
  }
  return answer;
}

}  // namespace retrystorm
