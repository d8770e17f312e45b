#include "model/oncall/check.hpp"

#include "model/capacity/erlang_c.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace retrystorm::oncall {
namespace {

// What is compared: both sides' way to the figure.
struct Checked {
  std::string_view name;
  bool share;
  std::optional<double> (*formula)(const Constants&, const Conditions&, const Load&);
  double BenchMinute::*simulated;
  bool dead_work;  // simulated with the work of clients that left done for nobody
};

bool stable(const Constants& c, const Conditions& now, const Load& load) {
  const double n = now.serving * c.workers_per_instance;
  const double rate = 1 / load.service_time;
  return load.served_per_s < n * rate && load.served_per_s / rate < n;
}

std::optional<double> p_wait(const Constants& c, const Conditions& now, const Load& load) {
  if (!stable(c, now, load)) return 1;
  return capacity::erlang_c(load.served_per_s * load.service_time,
                            static_cast<std::int64_t>(now.serving * c.workers_per_instance));
}
std::optional<double> mean_wait(const Constants& c, const Conditions& now, const Load& load) {
  if (!stable(c, now, load)) return std::nullopt;
  return capacity::mean_wait_s(load.served_per_s, 1 / load.service_time,
                               static_cast<std::int64_t>(now.serving * c.workers_per_instance));
}
template <double Load::*member>
std::optional<double> of_load(const Constants&, const Conditions&, const Load& load) {
  return load.*member;
}

constexpr std::array checked = {
    Checked{"hit_rate", true, of_load<&Load::hit_rate>, &BenchMinute::hit_rate, false},
    Checked{"database_utilization", true, of_load<&Load::database_utilization>,
            &BenchMinute::database_utilization, false},
    Checked{"query_time", false, of_load<&Load::query_time>, &BenchMinute::query_time, false},
    Checked{"service_time", false, of_load<&Load::service_time>, &BenchMinute::service_time, false},
    Checked{"utilization", true, of_load<&Load::utilization>, &BenchMinute::utilization, false},
    Checked{"p_wait", true, p_wait, &BenchMinute::p_wait, false},
    Checked{"mean_wait", false, mean_wait, &BenchMinute::mean_wait, false},
    Checked{"p99", false, of_load<&Load::p99>, &BenchMinute::p99, false},
    Checked{"timeouts", true, of_load<&Load::timeouts>, &BenchMinute::timeouts, false},
    Checked{"timeouts_dead_work", true, of_load<&Load::timeouts>, &BenchMinute::timeouts, true},
};

struct Named {
  std::string name;
  BenchCase bench;
};

// The traffic at which the workers would be busy to `utilization` (above 1: what they are asked
// for). By bisection: the load rises with the traffic, though hits rise with it too.
double traffic_for(const Constants& c, Conditions now, double utilization) {
  const double wanted = utilization * now.serving * c.workers_per_instance;
  double low = 0;
  double high = 1;
  const auto load_at = [&](double requests_per_s) {
    now.requests_per_s = requests_per_s;
    return load_of(c, now).busy_workers;
  };
  while (load_at(high) < wanted) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (load_at(middle) < wanted ? low : high) = middle;
  }
  return high;
}

std::vector<Named> cases_of(const Constants& c, int instances) {
  const Conditions opening{daily_traffic(c, c.opening_clock), 0, 1, c.ttl, 1, 0, false, instances};
  const auto busy = [&](double utilization) {
    Conditions now = opening;
    now.requests_per_s = traffic_for(c, opening, utilization);
    return now;
  };
  Conditions noon = opening;
  noon.requests_per_s = daily_traffic(c, c.cold_cache_clock);
  noon.ttl = c.cold_cache_ttl;
  Conditions cold = noon;
  cold.warm = 0;
  Conditions warmed = cold;
  warmed.warm_up = true;
  // Enough workers, and a database near its limit: only the database's formula is tested.
  Conditions short_ttl = noon;
  short_ttl.ttl = 1;
  short_ttl.serving = 4 * instances;
  const auto clock = [](double minutes) { return format_clock(static_cast<int>(minutes)); };
  const std::string emptied = fmt::format("cache emptied at {}", clock(c.cold_cache_clock));
  const auto steady = [&](const Conditions& now) { return BenchCase{c, now, now, 60, false}; };
  const auto first = [&](const Conditions& before, const Conditions& now) {
    return BenchCase{c, before, now, 60, false};
  };
  return {
      {"opening, " + clock(c.opening_clock), steady(opening)},
      {"workers 80 % busy", steady(busy(0.80))},
      {"workers 95 % busy", steady(busy(0.95))},
      {"workers 99 % busy", steady(busy(0.99))},
      {"workers asked for 110 %, first minute", first(opening, busy(1.10))},
      {"workers asked for 110 %, second minute", steady(busy(1.10))},
      {"workers asked for 150 %, first minute", first(opening, busy(1.50))},
      {"workers asked for 150 %, second minute", steady(busy(1.50))},
      {emptied + ", first minute", first(noon, cold)},
      {emptied + ", warm-up job, first minute", first(noon, warmed)},
      {fmt::format("TTL of 1 s at {}, four times the fleet", clock(c.cold_cache_clock)),
       steady(short_ttl)},
  };
}

// Mean and standard error of the values there are.
void summarize(CheckRow& row, std::vector<double> values) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  if (values.empty()) return;
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double v : values) sum += v;
  const double mean = sum / n;
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  row.simulated = mean;
  if (values.size() > 1) row.error = std::sqrt(squares / (n - 1) / n);
}

CheckCase compare(const Named& named, const std::vector<BenchMinute>& leaving,
                  const std::vector<BenchMinute>& dead_work) {
  const BenchCase& bench = named.bench;
  const Load load = load_of(bench.constants, bench.during);
  CheckCase result{named.name,
                   bench.during.requests_per_s,
                   static_cast<int>(bench.during.serving * bench.constants.workers_per_instance),
                   {}};
  for (const Checked& figure : checked) {
    const double scale = figure.share ? 1 : 1000;
    CheckRow row{
        figure.name, figure.share, figure.formula(bench.constants, bench.during, load), {}, {}};
    if (row.formula) row.formula = *row.formula * scale;
    std::vector<double> values;
    for (const BenchMinute& minute : figure.dead_work ? dead_work : leaving) {
      values.push_back(scale * minute.*figure.simulated);
    }
    summarize(row, std::move(values));
    result.rows.push_back(row);
  }
  return result;
}

}  // namespace

std::optional<double> CheckRow::difference() const {
  if (!formula || !simulated) return std::nullopt;
  return *formula - *simulated;
}

std::optional<double> CheckRow::error_percent() const {
  const auto off = difference();
  if (!off || *simulated == 0) return std::nullopt;
  return 100 * *off / *simulated;
}

Check run_check(const Constants& constants, int instances, std::uint32_t first_seed,
                std::uint32_t seeds, const std::function<bool()>& stop) {
  const int workers = static_cast<int>(constants.workers_per_instance);
  Check check{instances, workers, first_seed, seeds, {}, false};
  for (Named& named : cases_of(scaled_to(constants, instances), instances)) {
    std::vector<BenchMinute> leaving;
    std::vector<BenchMinute> dead_work;
    for (std::uint32_t i = 0; i < seeds && !check.interrupted; ++i) {
      check.interrupted = stop();
      if (check.interrupted) break;
      named.bench.dead_work = false;
      leaving.push_back(simulate_minute(named.bench, first_seed + i));
      named.bench.dead_work = true;
      dead_work.push_back(simulate_minute(named.bench, first_seed + i));
    }
    if (!leaving.empty()) check.cases.push_back(compare(named, leaving, dead_work));
    if (check.interrupted) break;
  }
  return check;
}

std::vector<Worst> worst_of(const Check& check) {
  std::vector<Worst> result;
  for (std::size_t f = 0; f < checked.size(); ++f) {
    Worst worst;
    double most = -1;
    for (const CheckCase& one : check.cases) {
      const CheckRow& row = one.rows[f];
      constexpr double least_ms = 1;  // below it a percentage says nothing
      const auto off = row.difference();
      if (!off || (!row.share && std::max(*row.formula, *row.simulated) < least_ms)) continue;
      const double size = std::abs(row.share ? *off : row.error_percent().value_or(0));
      if (size > most) {
        most = size;
        worst = {&one, &row};
      }
    }
    if (worst.row) result.push_back(worst);
  }
  return result;
}

}  // namespace retrystorm::oncall
