#include "loadgen/report.hpp"

#include "core/figures.hpp"
#include "core/json.hpp"
#include "core/ledger.hpp"
#include "core/number_text.hpp"
#include "core/reason.hpp"
#include "core/wrapped_text.hpp"

#include <iterator>
#include <span>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm::loadgen {
namespace {

namespace json = boost::json;

json::object quantiles_json(const LatencyHistogram& histogram) {
  json::object object;
  const Quantiles quantiles = histogram.quantiles();
  visit_quantiles(quantiles, [&](std::string_view name, const Count& value) {
    object[{name.data(), name.size()}] = json_number(value);
  });
  return object;
}

json::object reasons_json(const ReasonCounts& by_reason) {
  json::object object;
  for (std::size_t i = 0; i < by_reason.size(); ++i) {
    if (by_reason[i] != 0) object[reason_names[i]] = by_reason[i];
  }
  return object;
}

json::object statuses_json(const StatusCounts& by_status) {
  json::object object;
  for (std::size_t code = 0; code < by_status.size(); ++code) {
    if (by_status[code] != 0) object[std::to_string(code)] = by_status[code];
  }
  return object;
}

json::array strings_json(const std::vector<std::string>& strings) {
  json::array array;
  for (const std::string& s : strings) array.emplace_back(s);
  return array;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

using Writer = std::back_insert_iterator<std::string>;

// "a + b + c" of the names and counts that are not zero.
template <typename Names, typename Counts>
std::string sum_text(const Names& names, const Counts& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    if (!text.empty()) text += " + ";
    text += fmt::format("{} {}", counts[i], names[i]);
  }
  return text.empty() ? "0" : text;
}

// In seven columns: a latency of a second needs no microseconds.
std::string short_ms(double ms) {
  return fmt::format("{:.{}f}", ms, ms < 999 ? 3 : ms < 99'999 ? 1 : 0);
}

void latency_line(Writer out, std::string_view what, const LatencyHistogram& histogram) {
  if (histogram.count() == 0) {
    fmt::format_to(out, "  {:<27}    none\n", what);
    return;
  }
  const Quantiles q = histogram.quantiles();
  fmt::format_to(out, "  {:<27}{:>8} {:>7} {:>7} {:>7} {:>7} {:>7}\n", what, short_ms(*q.mean),
                 short_ms(*q.p50), short_ms(*q.p90), short_ms(*q.p99), short_ms(*q.p999),
                 short_ms(*q.max));
}

void reasons_line(Writer out, std::string_view what, const ReasonCounts& by_reason) {
  bool any = false;
  for (const std::uint64_t n : by_reason) any = any || n != 0;
  if (any) fmt::format_to(out, "  {:<13}{}\n", what, sum_text(reason_names, by_reason));
}

// The same of errors, whose names are explained.
void errors_line(Writer out, std::string_view what, const ReasonCounts& by_reason) {
  reasons_line(out, what, by_reason);
  for (const ReasonRow& row : reasons) {
    if (by_reason[static_cast<std::size_t>(row.reason)] == 0) continue;
    fmt::format_to(out, "    {}: {}\n", row.name, row.help);
  }
}

// "status:      20 x 200 + 40 x 503".
void statuses_line(Writer out, const StatusCounts& by_status) {
  std::string text;
  for (std::size_t code = 0; code < by_status.size(); ++code) {
    if (by_status[code] == 0) continue;
    text += fmt::format("{}{} x {}", text.empty() ? "" : " + ", by_status[code], code);
  }
  if (!text.empty()) fmt::format_to(out, "  {:<13}{}\n", "status:", text);
}

// "1200/s", or the stages.
std::string asked_for(const ClientSettings& client) {
  if (client.users) return fmt::format("{} users", *client.users);
  if (client.recorded) return fmt::format("{}, as recorded,", client.recorded.source);
  if (client.stages.empty()) return plain_rate_text(client.rate) + "/s";
  std::string text;
  for (const Stage& stage : client.stages) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", text_of(stage));
  }
  return text;
}

// What each stage of a load in stages came to, per second.
void stage_lines(Writer out, const std::vector<StageRates>& stages) {
  if (stages.empty()) return;
  fmt::format_to(out, "\n{:<34}{:>10}{:>10}{:>10}  per second\n", "stage", "offered", "attempts",
                 "goodput");
  for (const StageRates& stage : stages) {
    fmt::format_to(
        out, "  {:<32}{:>10}{:>10}{:>10}\n", stage.stage, fixed_text(stage.whole.offered_per_s, 2),
        fixed_text(stage.whole.attempts_per_s, 2), fixed_text(stage.whole.goodput_per_s, 2));
  }
}

}  // namespace

json::value to_json(const Result& r) {
  const Observed& seen = r.seen;
  json::object doc;
  doc["target"] = r.options.target.text();
  doc["address"] = r.options.target.address.text();
  doc["token"] = format_token(r.options.token);
  doc["scenario"] = retrystorm::to_json(r.options.scenario);
  doc["threads"] = r.threads;
  doc["interrupted"] = r.interrupted;
  doc["planned"] = r.planned ? json::value(*r.planned) : json::value();
  const std::vector<std::string> reasons = limited_by(r);
  doc["generator_limited"] = !reasons.empty();
  doc["reasons"] = strings_json(reasons);
  doc["failure"] = r.failure.empty() ? json::value() : json::value(r.failure);
  doc["limits"] = retrystorm::to_json(r.options.limits);
  doc["failed"] = strings_json(failed_thresholds(r));
  doc["tally"] = retrystorm::to_json(tally_of(r));
  doc["target_rate_per_s"] =
      json_number(r.options.scenario.client.users ? Count() : r.options.scenario.client.rate);
  doc["scheduled"] = seen.offered;
  doc["sent"] = seen.lag.count();
  doc["late"] = seen.late;
  doc["late_share"] = share(seen.late, seen.lag.count());
  doc["send_lag_ms"] = quantiles_json(seen.lag);
  doc["gave_up"] = reasons_json(seen.gave_up);
  doc["unsent"] = reasons_json(seen.unsent);
  doc["status"] = statuses_json(seen.statuses);
  doc["connect_error"] = reasons_json(seen.connect_errors);
  doc["io_error"] = reasons_json(seen.io_errors);
  doc["connections"] = r.connections;
  doc["connect_call_ms"] = quantiles_json(seen.connect_call);
  doc["slow_connects"] = seen.slow_connects;
  doc["most_in_flight"] = seen.most_in_flight;
  doc["origin_ns"] = nanoseconds_of(r.origin);
  doc["wall_seconds"] = seconds(r.wall);
  doc["cpu_seconds"] = seconds(r.cpu);
  doc["ledger_lost"] = r.ledger_lost;
  doc["ledger_error"] = r.ledger_error;
  json::object& sha256 = doc["ledger_sha256"].emplace_object();
  for (const auto& [file, digest] : r.ledger_sha256) sha256[file] = digest;
  doc["warnings"] = strings_json(warnings_of(r));
  return doc;
}

std::string to_text(const Result& r, std::size_t width) {
  const Observed& seen = r.seen;
  const Tally tally = tally_of(r);
  std::string text;
  const Writer out = std::back_inserter(text);
  if (r.interrupted) {
    fmt::format_to(out, "interrupted: {} requests of the schedule were not offered\n",
                   r.planned ? std::to_string(*r.planned) : "the remaining");
  }
  const bool settled = tally.settling.reason.empty();
  fmt::format_to(out, "{:<14}{:>10}{}\n", "", "whole", settled ? "     settled" : "");
  const auto rate_line = [&](std::string_view name, const Count& whole, const Count& later,
                             std::string_view unit) {
    fmt::format_to(out, "{:<14}{:>10}{}  {}\n", name, fixed_text(whole, 2),
                   settled ? fmt::format("  {:>10}", fixed_text(later, 2)) : "", unit);
  };
  rate_line("goodput", tally.whole.goodput_per_s, tally.settled.goodput_per_s,
            "succeeded requests/s");
  rate_line("offered", tally.whole.offered_per_s, tally.settled.offered_per_s, "requests/s");
  rate_line("attempts", tally.whole.attempts_per_s, tally.settled.attempts_per_s, "attempts/s");
  rate_line("amplification", tally.whole.amplification, tally.settled.amplification,
            "attempts per request");
  rate_line("window", tally.whole.seconds, tally.settled.seconds, "s");
  if (settled) {
    fmt::format_to(out, "settled from {:.3g} s on: {}\n", tally.settling.from_s.value_or(0),
                   tally.settling.note);
  } else {
    fmt::format_to(out, "not settled within {}: {}\n",
                   format_duration(r.options.scenario.client.duration), tally.settling.reason);
  }

  stage_lines(out, tally.stages);

  fmt::format_to(out, "\nrequests: {} offered = {}\n", seen.offered,
                 sum_text(request_outcome_names, seen.request_outcomes));
  reasons_line(out, "gave_up:", seen.gave_up);
  reasons_line(out, "unsent:", seen.unsent);
  fmt::format_to(out, "attempts: {} sent = {}\n", seen.attempts,
                 sum_text(attempt_outcome_names, seen.attempt_outcomes));
  statuses_line(out, seen.statuses);
  errors_line(out, "connect_error: ", seen.connect_errors);
  errors_line(out, "io_error:", seen.io_errors);
  for (std::size_t c = 0; c < r.classes.size(); ++c) {
    const Observed& of = r.classes[c];
    fmt::format_to(out, "  class {}:     {} offered = {}; {} sent = {}\n", c, of.offered,
                   sum_text(request_outcome_names, of.request_outcomes), of.attempts,
                   sum_text(attempt_outcome_names, of.attempt_outcomes));
  }
  if (seen.late_read > 0) {
    fmt::format_to(out, "  late_read:   {} of the succeeded, read after their own deadline\n",
                   seen.late_read);
  }

  fmt::format_to(out, "\n  {:<27}{:>8} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "latency, ms", "mean",
                 "p50", "p90", "p99", "p999", "max");
  latency_line(out, "succeeded, from schedule", seen.request);
  latency_line(out, "succeeded, from send", seen.attempt);
  latency_line(out, "all requests, from schedule", seen.all);
  latency_line(out, "send lag", seen.lag);

  fmt::format_to(
      out, "\nschedule: {} asked for, {} scheduled, {} sent, {} late (over {:g} ms, {:.2f} %)\n",
      asked_for(r.options.scenario.client), seen.offered, seen.lag.count(), seen.late,
      milliseconds(late_from(r.options.limits)), 100 * share(seen.late, seen.lag.count()));
  fmt::format_to(out,
                 "generator: {} thread{}, {:.2f} s of CPU in {:.2f} s, {} connections opened, "
                 "at most {} in flight\n",
                 r.threads, r.threads == 1 ? "" : "s", seconds(r.cpu), seconds(r.wall),
                 r.connections, seen.most_in_flight);
  for (const std::string& warning : warnings_of(r)) {
    fmt::format_to(out, "warning: {}\n", warning);
  }
  for (const std::string& failed : failed_thresholds(r)) {
    fmt::format_to(out, "failed: {}\n", failed);
  }
  for (const std::string& reason : limited_by(r)) {
    fmt::format_to(out, "generator-limited: {}\n", reason);
  }
  return fitted(text, width);
}

}  // namespace retrystorm::loadgen
