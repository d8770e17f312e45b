#include "model/calculators/sizing.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/number_text.hpp"
#include "core/policy/admission.hpp"
#include "model/capacity/erlang_c.hpp"

#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::int64_t micro = 1'000'000;
constexpr std::int64_t most_workers = 1'000'000;

void require(bool ok, std::string_view field, std::string_view remedy) {
  if (!ok) throw InvalidInput("capacity", field, remedy);
}

// a / b: what is whole, or nothing, comes out so.
double quotient(Wide a, Wide b) {
  return static_cast<double>(a / b) + static_cast<double>(a % b) / static_cast<double>(b);
}

// load / each and how it is rounded up, in integers.
struct Needed {
  std::int64_t workers;
  double exactly;
};
Needed needed(const SizingInput& in) {
  const Wide load = Wide{in.rate_micro} * in.work.count();  // in 10^-15 workers
  const Wide each = Wide{ns_per_s} * in.share_ppm;          // of one worker, the same unit
  return {static_cast<std::int64_t>((load + each - 1) / each), quotient(load, each)};
}

// With as many digits as it takes to see that it is rounded up so: 7.0000001, not 7, makes 8.
std::string digits_of(const Needed& needed) {
  std::string text;
  for (int digits = 6; digits <= 17; ++digits) {
    text = fmt::format("{:.{}g}", needed.exactly, digits);
    if (std::ceil(std::stod(text)) == static_cast<double>(needed.workers)) break;
  }
  return text;
}

// The waiting that the load meets with these workers; nothing for a load that they cannot carry.
void add_waiting(Sizing& sizing, double rate, double worker_rate, bool carried) {
  const std::int64_t workers = sizing.workers;
  // Beside the exact comparison, that of the formulas, which may differ in the last bit.
  const bool stable = carried && rate < static_cast<double>(workers) * worker_rate &&
                      rate / worker_rate < static_cast<double>(workers);
  std::optional<double> p_wait, mean_wait_ms, p99_ms;
  if (stable && workers <= most_workers) {
    p_wait = capacity::erlang_c(rate / worker_rate, workers);
    mean_wait_ms = 1000 * capacity::mean_wait_s(rate, worker_rate, workers);
    p99_ms = 1000 * capacity::wait_quantile_s(rate, worker_rate, workers, 0.99);
  }
  sizing.figures.push_back(
      {"p_wait", p_wait, "", "Erlang C: random arrivals, exponential work, room for all"});
  sizing.figures.push_back({"mean_wait", mean_wait_ms, "ms", "p_wait / (ideal - rate)"});
  sizing.figures.push_back(
      {"p99_wait", p99_ms, "ms", "ln(100 p_wait) / (ideal - rate), 0 if p_wait is below 1 %"});
}

}  // namespace

Sizing size_workers(const SizingInput& in) {
  require(in.work.count() > 0 && in.work <= std::chrono::hours(24), "work",
          "must be a duration above 0 and at most 24h");
  require(in.rate_micro > 0 && in.rate_micro <= 1'000'000'000 * micro, "rate",
          "must be above 0/s and at most 1000000000/s");
  require(in.share_ppm >= 10'000 && in.share_ppm <= micro, "share", "must be from 1% to 100%");
  require(!in.workers || (*in.workers >= 1 && *in.workers <= most_workers), "workers",
          "must be a whole number from 1 to 1000000");

  Sizing sizing;
  const Needed least = needed(in);
  sizing.workers_needed = least.workers;
  sizing.workers = in.workers.value_or(sizing.workers_needed);
  sizing.enough = sizing.workers >= sizing.workers_needed;

  // Rates as whole numbers over one denominator, so that no difference of theirs is a rounding.
  const Wide per_ideal = Wide{sizing.workers} * ns_per_s * micro;
  const Wide per_admitted = Wide{sizing.workers} * ns_per_s * in.share_ppm;
  const Wide per_rate = Wide{in.rate_micro} * in.work.count();
  const Wide unit = Wide{in.work.count()} * micro;
  const double rate = static_cast<double>(in.rate_micro) / micro;
  const double share = static_cast<double>(in.share_ppm) / micro;
  const double worker_rate = ns_per_s / static_cast<double>(in.work.count());
  const double ideal = quotient(per_ideal, unit);
  const double admitted = quotient(per_admitted, unit);
  const double margin = quotient(per_ideal - per_admitted, unit);
  const double headroom = quotient(per_admitted - per_rate, unit);
  const std::string work = format_duration(in.work);
  const auto num = [](double v) { return fmt::format("{:.6g}", v); };
  const std::string arriving = format_number(rate);
  const std::string percent = num(100 * share) + " %";

  sizing.figures = {
      {"worker_rate", worker_rate, "/s", fmt::format("1 / {}", work)},
      {"workers_needed", static_cast<double>(sizing.workers_needed), "workers",
       fmt::format("ceil({}/s / ({}/s x {})) = ceil({})", arriving, num(worker_rate), percent,
                   digits_of(least))},
      {"ideal", ideal, "/s", fmt::format("{} workers x {}/s", sizing.workers, num(worker_rate))},
      {"admitted", admitted, "/s", fmt::format("{}/s x {}", num(ideal), percent)},
      {"safety_margin", margin, "/s",
       fmt::format("{}/s - {}/s: kept free of the ideal", num(ideal), num(admitted))},
      {"headroom", headroom, "/s",
       fmt::format("{}/s - {}/s: between today's traffic and what is admitted", num(admitted),
                   arriving)},
      {"utilization", quotient(per_rate, per_ideal), "",
       fmt::format("{}/s x {} / {} workers", arriving, work, sizing.workers)},
  };
  add_waiting(sizing, rate, worker_rate, per_rate < per_ideal);
  return sizing;
}

json::value to_json(const SizingInput& in, const Sizing& sizing) {
  json::object figures;
  for (const SizingFigure& f : sizing.figures) {
    figures[{f.name.data(), f.name.size()}] = {
        {"value", json_number(f.value)},
        {"unit", json::string_view(f.unit.data(), f.unit.size())},
        {"formula", f.formula}};
  }
  return {{"work_ms", json_number(milliseconds(in.work))},
          {"rate_per_s", json_number(static_cast<double>(in.rate_micro) / micro)},
          {"share", json_number(static_cast<double>(in.share_ppm) / micro)},
          {"workers", sizing.workers},
          {"workers_needed", sizing.workers_needed},
          {"enough", sizing.enough},
          {"figures", std::move(figures)}};
}

std::string to_text(const SizingInput& in, const Sizing& sizing) {
  std::string text = fmt::format(
      "{} each, {}/s arriving, at most {:.6g} % of the ideal capacity, {} workers{}\n\n",
      format_duration(in.work), plain_rate_text(static_cast<double>(in.rate_micro) / micro),
      static_cast<double>(in.share_ppm) / 10'000, sizing.workers,
      in.workers ? "" : " (as many as needed)");
  for (const SizingFigure& f : sizing.figures) {
    const std::string value =
        f.value ? fmt::format("{:.6g}{}{}", *f.value, f.unit.starts_with('/') ? "" : " ", f.unit)
                : "no answer";
    text += fmt::format("{:16}{:>16}  {}\n", f.name, value, f.formula);
  }
  if (!sizing.enough) {
    text += fmt::format("\n{} workers are too few: {} are needed\n", sizing.workers,
                        sizing.workers_needed);
  }
  return text;
}

}  // namespace retrystorm
