#include "model/settling/simulate_settled.hpp"

#include "core/clients.hpp"
#include "model/settling/continuation.hpp"
#include "model/settling/window_sums.hpp"
#include "model/simulate/next_seed.hpp"
#include "model/simulate/sim_world.hpp"
#include "model/simulate/simulation.hpp"

#include <memory>
#include <vector>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// The run of one seed, without an end. The simulation keeps a reference to the scenario.
template <typename World, typename Users>
class Endless {
 public:
  Endless(const Scenario& scenario, Duration length, World world, const SimulateOptions& options,
          const Windows& windows)
      : scenario_(carried_on(scenario, length)),
        simulation_(scenario_, arrivals_for(scenario_, options.replay),
                    work_for(scenario_, options.replay), std::move(world),
                    WindowSums(windows.length, windows.start), options.meter) {}
  Endless(const Endless&) = delete;
  Endless& operator=(const Endless&) = delete;

  // A little further than the windows: replies that find nobody are told when they arrive.
  const std::vector<WindowSum>& windows(std::size_t count, const Windows& windows) {
    simulation_.advance_to(windows.begin(count) + scenario_.network.round_trip);
    return simulation_.observer().sums(count);
  }

 private:
  Scenario scenario_;
  Simulation<World, WindowSums, Users> simulation_;
};

Rates rates_of(const std::vector<WindowSum>& sums, std::size_t from, std::size_t to,
               Duration window) {
  double offered = 0, succeeded = 0, completed = 0, attempts = 0, abandoned = 0;
  for (std::size_t i = from; i < to; ++i) {
    offered += sums[i].offered, succeeded += sums[i].succeeded, completed += sums[i].completed;
    attempts += sums[i].attempts, abandoned += sums[i].abandoned;
  }
  return make_rates(seconds(window) * static_cast<double>(to - from), offered, succeeded, completed,
                    attempts, abandoned);
}

// The runs of all seeds, side by side.
template <typename World, typename Users>
class Runs {
 public:
  Runs(const Scenario& scenario, int seeds, const SimulateOptions& options, auto make_world,
       double most_attempts)
      : seeds_(seeds), most_attempts_(most_attempts), run_(windows_of(scenario)) {
    carried_on_ = !scenario.simulation.horizon && !scenario.client.recorded &&
                  !(options.replay && options.replay->first_sends);
    if (const auto& horizon = scenario.simulation.horizon) {
      const Duration seen = std::max(instant_at(*horizon) - run_.start, Duration::zero());
      run_.count = std::min(run_.count, static_cast<std::size_t>(seen / run_.length));
    }
    Duration length = scenario.client.duration;
    if (carried_on_) {
      const Duration before = since_start(run_.start);
      length = before + (length - before) * (2 << most_doublings);
    }
    Scenario s = scenario;
    for (int i = 0; i < seeds; ++i, s.seed = next_seed(s.seed)) {
      runs_.push_back(
          std::make_unique<Endless<World, Users>>(s, length, make_world(s), options, run_));
    }
  }

  Continued settled(const Scenario& scenario) {
    const std::size_t earliest = earliest_settled(scenario, run_);
    if (!carried_on_) return by_windows(scenario, earliest);
    return settle({run_, least_window(scenario), earliest, last_rate(scenario),
                   [this](std::size_t count) { return means(count); }});
  }

  double seconds_of(std::size_t window) const { return seconds(since_start(run_.begin(window))); }
  BatchMean goodput(const SettledSpan& span) {
    const WindowMeans all = means(span.to).value();
    return batch_mean(std::span(all.goodput_per_s).subspan(span.from));
  }
  std::vector<Rates> rates(const SettledSpan& span) {
    std::vector<Rates> list;
    for (auto& run : runs_) {
      list.push_back(rates_of(run->windows(span.to, run_), span.from, span.to, run_.length));
    }
    return list;
  }

  // What is said of a window that was found, or of none.
  Settling settling(const Scenario& scenario, const Continued& found) const {
    Settling s;
    if (!carried_on_) {
      s.note = "judged by its windows alone: recorded arrivals and a horizon cannot be carried on";
    }
    if (!found.span) {
      s.reason = found.reason;
      return s;
    }
    s.from_s = seconds_of(found.span->from);
    s.to_s = seconds_of(found.span->to);
    if (!found.unsettled_run.empty()) {
      s.note = fmt::format("not settled within {}: {}", format_duration(scenario.client.duration),
                           found.unsettled_run);
    }
    return s;
  }

 private:
  Continued by_windows(const Scenario& scenario, std::size_t earliest) {
    if (auto few = too_few_windows(run_.count, least_window(scenario))) return {{}, *few, *few};
    const SettledStart start = settled_start(*means(run_.count), earliest, last_rate(scenario));
    if (!start.window) return {{}, start.reason, start.reason};
    return {SettledSpan{*start.window, run_.count}, {}, {}};
  }

  std::optional<WindowMeans> means(std::size_t count) {
    // Twice as long takes about twice as many attempts; up to twice the run is always followed.
    const bool owed = count <= std::max(simulated_, 2 * std::max<std::size_t>(1, run_.count));
    if (!owed && 2 * attempts_ > most_attempts_) return std::nullopt;
    simulated_ = std::max(simulated_, count);
    WindowMeans means{std::vector<double>(count), std::vector<double>(count),
                      std::vector<double>(count)};
    attempts_ = 0;
    const double window = seconds(run_.length);
    for (auto& run : runs_) {
      const std::vector<WindowSum>& sums = run->windows(count, run_);
      for (std::size_t i = 0; i < count; ++i) {
        means.goodput_per_s[i] += sums[i].succeeded / window / seeds_;
        means.open[i] += sums[i].open_ns * 1e-9 / window / seeds_;
        means.queue[i] += sums[i].queue_ns * 1e-9 / window / seeds_;
        attempts_ += sums[i].attempts;
      }
    }
    return means;
  }

  double seeds_;
  double most_attempts_;
  double attempts_ = 0;
  std::size_t simulated_ = 0;  // windows
  bool carried_on_ = true;
  Windows run_;
  std::vector<std::unique_ptr<Endless<World, Users>>> runs_;
};

// f(the runs of so many seeds in the world that is asked for).
template <typename Users>
void with_runs_of(const Scenario& scenario, int seeds, const SimulateOptions& options,
                  double most_attempts, auto&& f) {
  const Duration round_trip = scenario.network.round_trip;
  if (options.noise) {
    const auto world = [&](const Scenario& s) {
      return NoisyWorld(round_trip, *options.noise, static_cast<std::uint64_t>(s.seed));
    };
    Runs<NoisyWorld, Users> runs(scenario, seeds, options, world, most_attempts);
    f(runs);
  } else {
    const auto world = [&](const Scenario&) { return ExactWorld(round_trip); };
    Runs<ExactWorld, Users> runs(scenario, seeds, options, world, most_attempts);
    f(runs);
  }
}

void with_runs(const Scenario& scenario, int seeds, const SimulateOptions& options,
               double most_attempts, auto&& f) {
  if (scenario.classes.empty()) {
    with_runs_of<Client>(scenario, seeds, options, most_attempts, f);
  } else {
    with_runs_of<Clients>(scenario, seeds, options, most_attempts, f);
  }
}

void judge(Tally& tally, const Scenario& scenario, int seeds, const SimulateOptions& options,
           double most_attempts) {
  with_runs(scenario, seeds, options, most_attempts, [&](auto& runs) {
    const Continued found = runs.settled(scenario);
    tally.settling = runs.settling(scenario, found);
    tally.settled = {};
    for (Tally& of_class : tally.classes) {
      of_class.settled = {};
      of_class.settling.reason = "judged of all classes together";
    }
    std::erase_if(tally.spread, [](const auto& s) { return s.first.starts_with("settled."); });
    if (!found.span) return;
    std::vector<Tally> tallies;
    for (const Rates& rates : runs.rates(*found.span)) tallies.emplace_back().settled = rates;
    tally.settled = mean_of(tallies).settled;
    if (seeds < 2) return;
    for (auto& [path, spread] : spread_of(tallies)) {
      if (path.starts_with("settled.")) tally.spread[path] = spread;
    }
  });
}

}  // namespace

Cost settled_cost(const Scenario& scenario, int seeds) {
  const double attempts = attempts_at_most(scenario);
  const double all = seeds * attempts;
  const double carried_on =
      scenario.simulation.horizon || scenario.client.recorded
          ? all
          : std::max(2 * all, std::min(most_continued_attempts, (2 << most_doublings) * all));
  const Cost run = simulate_cost(scenario, attempts);
  // The continuations of all seeds stand side by side, each window of them with its sums.
  const double windows = static_cast<double>(std::max<std::size_t>(1, windows_of(scenario).count)) *
                         std::max(2.0, carried_on / std::max(1.0, all));
  return {run.seconds * seeds + price::attempt * carried_on * 1e-9,
          seeds * (run.bytes + 2 * static_cast<double>(sizeof(WindowSum)) * windows)};
}

Tally simulate_settled(const Scenario& scenario, const SimulateOptions& options,
                       double most_attempts) {
  Tally tally = simulate(scenario, options);
  judge(tally, scenario, 1, options, most_attempts);
  return tally;
}

Tally simulate_settled_band(const Scenario& scenario, int seeds, const SimulateOptions& options,
                            double most_attempts) {
  Tally tally = simulate_band(scenario, seeds, options);
  judge(tally, scenario, seeds, options, most_attempts);
  return tally;
}

SettledGoodput settled_goodput(const Scenario& scenario, int seeds, const SimulateOptions& options,
                               double most_attempts) {
  SettledGoodput answer;
  with_runs(scenario, seeds, options, most_attempts, [&](auto& runs) {
    const Continued found = runs.settled(scenario);
    answer.settling = runs.settling(scenario, found);
    if (found.span) answer.goodput_per_s = runs.goodput(*found.span);
  });
  return answer;
}

}  // namespace retrystorm
