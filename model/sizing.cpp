#include "model/sizing.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/policy/admission.hpp"
#include "model/capacity/erlang_c.hpp"

#include <algorithm>

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

// ceil(rate x work / share), in integers.
std::int64_t workers_needed(const SizingInput& in) {
  const Wide load = Wide{in.rate_micro} * in.work.count();  // in 10^-15 workers
  const Wide each = Wide{ns_per_s} * in.share_ppm;          // of one worker, the same unit
  return static_cast<std::int64_t>((load + each - 1) / each);
}

// The waiting that the load meets with these workers; nothing for a load beyond them.
void add_waiting(Sizing& sizing, double rate, double worker_rate) {
  const std::int64_t workers = sizing.workers;
  const bool stable = rate < static_cast<double>(workers) * worker_rate &&
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
  sizing.workers_needed = workers_needed(in);
  sizing.workers = in.workers.value_or(sizing.workers_needed);
  sizing.enough = sizing.workers >= sizing.workers_needed;

  const auto n = static_cast<double>(sizing.workers);
  const double rate = static_cast<double>(in.rate_micro) / micro;
  const double share = static_cast<double>(in.share_ppm) / micro;
  const double worker_rate = ns_per_s / static_cast<double>(in.work.count());
  const double ideal = n * ns_per_s / static_cast<double>(in.work.count());
  const double admitted = ideal * static_cast<double>(in.share_ppm) / micro;
  const std::string work = format_duration(in.work);
  const auto num = [](double v) { return fmt::format("{:.6g}", v); };
  const std::string percent = num(100 * share) + " %";

  sizing.figures = {
      {"worker_rate", worker_rate, "/s", fmt::format("1 / {}", work)},
      {"workers_needed", static_cast<double>(sizing.workers_needed), "workers",
       fmt::format("ceil({}/s / ({}/s x {})) = ceil({})", num(rate), num(worker_rate), percent,
                   num(rate / (worker_rate * share)))},
      {"ideal", ideal, "/s", fmt::format("{} workers x {}/s", sizing.workers, num(worker_rate))},
      {"admitted", admitted, "/s", fmt::format("{}/s x {}", num(ideal), percent)},
      {"safety_margin", ideal - admitted, "/s",
       fmt::format("{}/s - {}/s: kept free of the ideal", num(ideal), num(admitted))},
      {"headroom", admitted - rate, "/s",
       fmt::format("{}/s - {}/s: between today's traffic and what is admitted", num(admitted),
                   num(rate))},
      {"utilization", rate * seconds(in.work) / n, "",
       fmt::format("{}/s x {} / {} workers", num(rate), work, sizing.workers)},
  };
  add_waiting(sizing, rate, worker_rate);
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
      "{} each, {:.6g}/s arriving, at most {:.6g} % of the ideal capacity, {} workers{}\n\n",
      format_duration(in.work), static_cast<double>(in.rate_micro) / micro,
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
