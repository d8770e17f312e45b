// Scenarios drawn by a seed, and what the rule of what is settled says of them: small services from
// half their ceiling to far beyond it, patient and impatient clients, with retries and without.
#pragma once

#include "core/random.hpp"
#include "core/scenario.hpp"
#include "core/settling.hpp"
#include "model/settling/simulate_settled.hpp"
#include "model/settling/window_sums.hpp"
#include "model/simulate/sim_world.hpp"

#include <chrono>
#include <cstdint>

#include <boost/random/uniform_int_distribution.hpp>
#include <boost/random/uniform_real_distribution.hpp>

namespace retrystorm {

// Runs of 60 to 120 windows.
inline Scenario random_scenario(std::uint64_t seed) {
  using std::chrono::milliseconds;
  Random random(seed, Stream::arrivals);
  const auto whole = [&](std::int64_t from, std::int64_t to) {
    return boost::random::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  Scenario s;
  s.seed = static_cast<std::int64_t>(seed);
  s.service.workers = whole(1, 10);
  s.service.work = milliseconds(whole(10, 60));
  s.service.work_shape = whole(0, 1) == 0 ? WorkShape::fixed : WorkShape::exponential;
  s.service.queue = whole(0, 60);
  s.client.timeout = s.service.work * whole(2, 12);
  s.client.retries = whole(0, 3);
  s.client.backoff = milliseconds(whole(0, 1) * whole(10, 200));
  s.client.arrivals = whole(0, 1) == 0 ? ArrivalProcess::even : ArrivalProcess::poisson;
  s.client.rate = ceiling(s) * boost::random::uniform_real_distribution<double>(0.5, 1.6)(random);
  s.client.duration = least_window(s) * whole(60, 120);
  return s;
}

// What the rule says of a scenario, beside a run of ten times the length (or four times that of the
// figure, where that is longer).
struct Judged {
  bool owed = false;   // the longer run agrees with the run's own [settle, duration)
  bool given = false;  // there is a figure
  bool off = false;    // and the longer run's second half does not agree with it
};

// Agreement is 3 % of the offered rate or two standard errors.
inline Judged judged(std::uint64_t seed) {
  const Scenario s = random_scenario(seed);
  const Windows windows = windows_of(s);
  const SettledGoodput figure = settled_goodput(s, 1);
  Judged j;
  j.given = figure.settling.reason.empty();
  const auto last =
      static_cast<std::size_t>(figure.settling.to_s.value_or(0) / seconds(windows.length));
  const std::size_t count = std::max(10 * windows.count, 4 * last);
  Scenario longer = s;
  longer.client.duration = windows.length * static_cast<std::int64_t>(count);
  Simulation simulation(longer, Arrivals(longer), Work(longer),
                        ExactWorld(longer.network.round_trip), WindowSums(windows.length));
  simulation.advance_to(instant_at(longer.client.duration) + longer.network.round_trip);
  std::vector<double> goodput;
  for (const WindowSum& sum : simulation.observer().sums(count)) {
    goodput.push_back(sum.succeeded / seconds(windows.length));
  }
  const auto mean = [&](std::size_t from, std::size_t to) {
    return batch_mean(std::span(goodput).subspan(from, to - from));
  };
  const auto agree = [&](const BatchMean& a, const BatchMean& b) {
    return means_agree(a, b, s.client.rate, 0.03);
  };
  j.owed = agree(mean(earliest_settled(s, windows), windows.count),
                 mean(10 * windows.count / 3, 10 * windows.count));
  j.off = j.given && !agree(figure.goodput_per_s, mean(count / 2, count));
  return j;
}

}  // namespace retrystorm
