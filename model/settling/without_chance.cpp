#include "model/settling/without_chance.hpp"

#include "model/settling/continuation.hpp"
#include "model/settling/simulate_settled.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// What a further continuation may take, with a meter: as long as a simulated one.
constexpr double most_continued_s = most_continued_attempts * price::attempt * 1e-9;

Scenario prolonged(Scenario s, Duration length) {
  s.client.duration = length;
  s.settle = length / 2;
  return s;
}

}  // namespace

Tally settle_without_chance(ComputedRun run, ComputedCost cost, const Scenario& scenario,
                            bool approximate, Meter* meter) {
  Tally tally = run(scenario, approximate, meter);
  // The rates of [length / 2, length).
  const auto second_half = [&](Duration of) {
    return run(prolonged(scenario, of), approximate, meter).settled;
  };
  const auto agree = [&](const Rates& a, const Rates& b) {
    return means_agree({a.goodput_per_s.value_or(0), 0}, {b.goodput_per_s.value_or(0), 0},
                       scenario.client.rate, continuation_share);
  };
  const double attempts_per_s =
      scenario.client.rate * static_cast<double>(scenario.client.retries + 1);
  Duration length = scenario.client.duration;
  std::string why;     // the run itself is not settled
  std::string reason;  // nothing is, so far
  const Duration least = least_window(scenario);
  Rates now = second_half(length);
  for (int doubled = 0; doubled <= most_doublings; ++doubled, length *= 2) {
    const bool too_long = attempts_per_s * seconds(2 * length) > most_continued_attempts ||
                          (meter && cost(prolonged(scenario, 2 * length)).seconds >
                                        std::min(most_continued_s, meter->left_s()));
    if (doubled > 0 && too_long) {
      reason =
          fmt::format("not settled within {}, and longer ones take more work than is done for this",
                      format_duration(length));
      break;
    }
    const Rates next = second_half(2 * length);
    const auto few = too_few_windows(static_cast<std::size_t>(length / least), least);
    if (!few && agree(now, next)) {
      const bool itself = doubled == 0 && agree(tally.settled, next);
      if (!itself) tally.settled = now;
      if (doubled > 0) {
        tally.settling.note = fmt::format("not settled within {}: {}",
                                          format_duration(scenario.client.duration), why);
      }
      tally.settling.from_s =
          itself ? seconds(since_start(settled_from(scenario))) : seconds(length / 2);
      tally.settling.to_s = seconds(length);
      return tally;
    }
    reason = few ? *few
                 : fmt::format("goodput changes between {} and {}", format_duration(length / 2),
                               format_duration(2 * length));
    if (doubled == 0) why = reason;
    now = next;
  }
  tally.settled = {};
  tally.settling.reason = reason;
  return tally;
}

Cost cost_without_chance(ComputedCost cost, const Scenario& scenario) {
  Duration length = scenario.client.duration;
  Cost sum =
      cost(scenario) + cost(prolonged(scenario, length)) + cost(prolonged(scenario, 2 * length));
  const double attempts_per_s =
      scenario.client.rate * static_cast<double>(scenario.client.retries + 1);
  for (int doubled = 1; doubled <= most_doublings; ++doubled) {
    length *= 2;
    const Cost next = cost(prolonged(scenario, 2 * length));
    if (attempts_per_s * seconds(2 * length) > most_continued_attempts) break;
    if (next.seconds > most_continued_s) break;
    sum = sum + next;
  }
  return sum;
}

}  // namespace retrystorm
