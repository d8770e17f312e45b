#include "experiments/report/formats/table.hpp"

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/units.hpp"
#include "experiments/report/count_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr std::size_t label_width = 25;

struct Style {
  bool colour;
  std::string bold(std::string_view text) const { return paint(text, 1); }
  std::string good(std::string_view text) const { return paint(text, 32); }
  std::string bad(std::string_view text) const { return paint(text, 31); }

 private:
  std::string paint(std::string_view text, int code) const {
    return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
};

// The cells of one row, in the order of the columns.
struct Row {
  Count attempts, refused, timed_out, completed, abandoned, abandoned_share;
  Count goodput, throughput, median, amplification;
};

constexpr std::array<std::string_view, 10> headings = {
    "attempts", "503s",      "timed out",    "completed", "abandoned",
    "",         "goodput/s", "throughput/s", "median ms", "ampl."};
constexpr std::array<std::size_t, 10> widths = {9, 8, 10, 10, 10, 8, 10, 13, 10, 7};

std::string row_text(std::string_view label, const Row& row) {
  const std::string share =
      row.abandoned_share ? fmt::format("{:.1f} %", 100 * *row.abandoned_share) : std::string();
  const std::array<std::string, 10> cells = {
      count_text(row.attempts),        count_text(row.refused),   count_text(row.timed_out),
      count_text(row.completed),       count_text(row.abandoned), share,
      rate_text(row.goodput),          rate_text(row.throughput), fixed_text(row.median, 1),
      fixed_text(row.amplification, 2)};
  std::string text = fmt::format("  {:<{}}", label, label_width - 2);
  for (std::size_t i = 0; i < cells.size(); ++i) text += fmt::format("{:>{}}", cells[i], widths[i]);
  return text + "\n";
}

std::string heading_text() {
  std::string text(label_width, ' ');
  for (std::size_t i = 0; i < headings.size(); ++i) {
    text += fmt::format("{:>{}}", headings[i], widths[i]);
  }
  return text + "\n";
}

Row whole_row(const Tally& t) {
  return {t.counts.attempts,     t.counts.rejected,        t.counts.timed_out,
          t.counts.completed,    t.counts.abandoned,       t.whole.abandoned_share,
          t.whole.goodput_per_s, t.whole.throughput_per_s, t.request.p50,
          t.whole.amplification};
}

// A tally has rates of the settled window; the counts follow from them.
Row settled_row(const Tally& t) {
  const Rates& r = t.settled;
  const auto count = [&](const Count& rate) -> Count {
    return rate && r.seconds ? Count(std::round(*rate * *r.seconds)) : std::nullopt;
  };
  Row row;
  row.attempts = count(r.attempts_per_s);
  row.completed = count(r.throughput_per_s);
  row.abandoned_share = r.abandoned_share;
  if (row.completed && r.abandoned_share) {
    row.abandoned = std::round(*row.completed * *r.abandoned_share);
  }
  row.goodput = r.goodput_per_s;
  row.throughput = r.throughput_per_s;
  row.amplification = r.amplification;
  return row;
}

Row spread_row(const Tally& t, double Spread::*end) {
  const auto at = [&](const char* path) -> Count {
    const auto found = t.spread.find(path);
    return found == t.spread.end() ? std::nullopt : Count(found->second.*end);
  };
  Row row;
  row.attempts = at("counts.attempts"), row.refused = at("counts.rejected");
  row.timed_out = at("counts.timed_out"), row.completed = at("counts.completed");
  row.abandoned = at("counts.abandoned"), row.abandoned_share = at("whole.abandoned_share");
  row.goodput = at("whole.goodput_per_s"), row.throughput = at("whole.throughput_per_s");
  row.amplification = at("whole.amplification");
  for (Count* count :
       {&row.attempts, &row.refused, &row.timed_out, &row.completed, &row.abandoned}) {
    if (*count) *count = std::round(**count);
  }
  return row;
}

std::string verdict(const ArmReport& arm, const Style& style) {
  if (arm.trusted) return style.good("trusted");
  if (arm.status == "done") return style.bad("UNTRUSTED");
  std::string status = arm.status == "not_run" ? "NOT RUN" : arm.status;
  std::transform(status.begin(), status.end(), status.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return style.bad(status);
}

// How far a prediction is off the measurement, in shares of attempts, under the counts it belongs
// to.
std::string error_row(std::string_view label, const Tally& predicted, const Tally& measured) {
  constexpr std::array<std::string_view, 5> shown = {"attempts", "rejected", "timed_out",
                                                     "completed", "abandoned"};
  const std::vector<CountError> errors = count_errors(predicted.counts, measured.counts);
  std::string text = fmt::format("  {:<{}}", label, label_width - 2);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto found = std::find_if(errors.begin(), errors.end(),
                                    [&](const CountError& e) { return e.count == shown[i]; });
    text += fmt::format(
        "{:>{}}",
        found == errors.end() ? std::string(unknown) : signed_percent(found->share_of_attempts),
        widths[i]);
  }
  return text + "\n";
}

const Tally* simulated(const std::map<std::string, Tally>& predictions) {
  const auto found = predictions.find("simulate");
  return found == predictions.end() ? nullptr : &found->second;
}

// A mean over seeds is shown as a whole count.
Row predicted_row(const Tally& t) {
  Row row = whole_row(t);
  for (Count* count :
       {&row.attempts, &row.refused, &row.timed_out, &row.completed, &row.abandoned}) {
    if (*count) *count = std::round(**count);
  }
  return row;
}

std::string predicted_rows(const ArmReport& arm) {
  std::string text;
  const Tally* nominal = simulated(arm.predicted.nominal);
  const Tally* calibrated = simulated(arm.predicted.calibrated);
  const auto& measured = arm.measured;
  if (nominal) text += row_text("predicted, nominal", predicted_row(*nominal));
  if (nominal && measured) text += error_row("  off measured by", *nominal, *measured);
  if (calibrated) text += row_text("predicted, calibrated", predicted_row(*calibrated));
  if (calibrated && measured) text += error_row("  off measured by", *calibrated, *measured);
  if (arm.predicted.replay && measured) {
    text += error_row("replay off by", *arm.predicted.replay, *measured);
  }
  return text;
}

std::string arm_text(const ArmReport& arm, const Style& style) {
  std::string text =
      fmt::format("{}  {}\n", style.bold(printable(arm.name, 400)), verdict(arm, style));
  if (arm.published) text += row_text("published", whole_row(arm.published->tally));
  text += predicted_rows(arm);
  if (const auto& t = arm.measured) {
    const auto window = [](const Count& s) {
      return s ? fmt::format("{:.3g} s", *s) : std::string("-");
    };
    text += row_text(fmt::format("whole run, {}", window(t->whole.seconds)), whole_row(*t));
    if (!t->spread.empty()) {
      const auto n = std::count_if(arm.tries.begin(), arm.tries.end(),
                                   [](const Try& one) { return one.trusted; });
      text += row_text(fmt::format("  low, of {} trusted", n), spread_row(*t, &Spread::low));
      text += row_text("  high", spread_row(*t, &Spread::high));
    }
    if (t->settled.seconds) {
      text += row_text(fmt::format("settled, {}", window(t->settled.seconds)), settled_row(*t));
    }
  }
  for (const std::string& reason : arm.reasons)
    text += fmt::format("  ! {}\n", printable(reason, 1000));
  for (const Try& t : arm.tries) {
    if (!arm.measured_try || t.key.try_number != arm.measured_try->try_number) continue;
    for (const std::string& warning : t.warnings)
      text += fmt::format("  ~ {}\n", printable(warning, 1000));
  }
  return text;
}

// Where the settled goodput is far below the whole run's, the latter is the run's opening.
bool is_opening_only(const ArmReport& arm) {
  if (!arm.measured || !arm.opening.last_success_ms) return false;
  const Count& whole = arm.measured->whole.goodput_per_s;
  const Count& settled = arm.measured->settled.goodput_per_s;
  return whole && settled && *settled < 0.5 * *whole;
}

std::string openings_text(const Report& report) {
  std::string text;
  for (const ArmReport& arm : report.arms) {
    if (!is_opening_only(arm)) continue;
    if (text.empty()) {
      text = "\n" + explained("goodput",
                              "In the arms below, the whole run's goodput is its first moments "
                              "divided by its length: it does not last, and a longer run would "
                              "show less, down to the settled figure. So it is with a published "
                              "goodput of such a run.");
    }
    const Tally& t = *arm.measured;
    std::string line =
        fmt::format("{}: {} of {} successes within {:.2f} s", printable(arm.name, 400),
                    count_text(arm.opening.succeeded), count_text(t.counts.succeeded),
                    *arm.opening.last_success_ms / 1000);
    if (arm.opening.after_sending.value_or(0) > 0) {
      line += fmt::format(", {} after sending had ended", count_text(arm.opening.after_sending));
    }
    line += fmt::format("; settled {}/s, whole run {}/s", rate_text(t.settled.goodput_per_s),
                        rate_text(t.whole.goodput_per_s));
    if (arm.published && arm.published->tally.whole.goodput_per_s) {
      line += fmt::format(", published {}/s", rate_text(arm.published->tally.whole.goodput_per_s));
    }
    text += explained("", line);
  }
  return text;
}

// Where in the band of the calibrated prediction the measurements fell, and the worst structural
// error.
std::string predictions_text(const Report& report) {
  std::size_t judged = 0;
  std::size_t within = 0;
  std::optional<CountError> worst;
  std::string worst_arm;
  for (const ArmReport& arm : report.arms) {
    if (!arm.measured || !arm.predicted.replay) continue;
    if (const Tally* calibrated = simulated(arm.predicted.calibrated)) {
      const BandVerdict verdict = against_band(*calibrated, arm.measured->counts);
      judged += verdict.judged;
      within += verdict.within;
    }
    const auto error = worst_error(arm.predicted.replay->counts, arm.measured->counts);
    const auto size = [](const CountError& e) { return std::abs(e.share_of_attempts.value_or(0)); };
    if (error && (!worst || size(*error) > size(*worst))) {
      worst = error;
      worst_arm = printable(arm.name, 400);
    }
  }
  if (!worst) return {};
  return explained("predicted",
                   "nominal: the scenario as written, in exact time. calibrated: with the run's "
                   "own first "
                   "sends, work time, ways and their noise; the mean over seeds. replay: its very "
                   "sends and "
                   "work times, so what is left is the structural error. Errors are shares of "
                   "attempts.") +
         explained(
             "",
             fmt::format("Worst structural error: {} of attempts ({}, {}). Of the counts, {} of {} "
                         "lie within the calibrated band (2.5 to 97.5 % of the seeds).",
                         signed_percent(worst->share_of_attempts), worst->count, worst_arm, within,
                         judged));
}

std::string sources_text(const Report& report) {
  std::string text;
  std::set<std::string> told;
  for (const ArmReport& arm : report.arms) {
    if (!arm.published || !told.insert(arm.published->source).second) continue;
    text += explained("published", fmt::format("{}; its rates are {}.", arm.published->source,
                                               arm.published->rates));
    for (const std::string& note : arm.published->notes) text += explained("", note);
  }
  return text;
}

std::string machine_text(const Report& report) {
  const auto word = [&](const char* key) {
    const auto* value = report.environment.if_contains(key);
    return value && value->is_string() ? std::string(value->get_string()) : std::string("unknown");
  };
  const auto* cores = report.environment.if_contains("cores");
  Count lag;
  Count trip;
  for (const ArmReport& arm : report.arms) {
    for (const Try& t : arm.tries) {
      if (t.trust.send_lag_p99_ms) lag = std::max(lag.value_or(0), *t.trust.send_lag_p99_ms);
      if (t.trust.round_trip_ms) trip = std::max(trip.value_or(0), *t.trust.round_trip_ms);
    }
  }
  return explained(
      "measured",
      fmt::format(
          "on {}, {} cores, clock {}; at worst: send lag p99 {} ms, median round trip {} ms",
          word("kernel"), cores && cores->is_int64() ? cores->get_int64() : 0, word("clock_source"),
          fixed_text(lag, 2), fixed_text(trip, 2)));
}

// What the three witnesses say of each other, if Prometheus was one.
std::string witnesses_text(const Report& report) {
  std::size_t asked = 0, agreed = 0;
  std::uint64_t scrapes = 0, missed = 0;
  double slowest_ms = 0;
  for (const ArmReport& arm : report.arms) {
    for (const Try& t : arm.tries) {
      if (!t.scraped) continue;
      ++asked;
      if (disagreements(*t.scraped, t.tally.counts).empty()) ++agreed;
      for (const auto& [job, s] : t.scraped->scrapes) {
        scrapes += s.answered;
        missed += s.missed;
        slowest_ms = std::max(slowest_ms, s.took.max.value_or(0));
      }
    }
  }
  if (asked == 0) return {};
  return explained(
      "reconciled",
      fmt::format(
          "the generator's ledger, the service's ledger and Prometheus' final counters agree "
          "to the last request in {} of {} tries; {} scrapes answered, {:.1f} ms at worst, {} "
          "missed",
          agreed, asked, scrapes, slowest_ms, missed));
}

}  // namespace

std::string report_table(const Report& report, std::string_view place, bool colour) {
  const Style style{colour};
  std::string text = style.bold(printable(report.experiment, 400)) + "\n";
  if (!report.question.empty()) text += printable(report.question, 1000) + "\n";
  if (report.partial) {
    text += style.bad("PARTIAL: the run ended before every arm was measured") + "\n";
  }
  text += fmt::format("\n{}", style.bold(heading_text()));
  for (const ArmReport& arm : report.arms) text += arm_text(arm, style);
  text += openings_text(report);
  text += "\n";
  text += sources_text(report);
  text += predictions_text(report);
  text += explained("whole run", "from the start to the last reply or completion");
  text += explained("settled",
                    "without the opening, to the end of sending: what an overload that lasts "
                    "comes to");
  text += explained("abandoned",
                    "completed for clients that had already left, and their share of completions");
  text += explained("median",
                    "latency of the successes from their scheduled instant; ampl.: attempts per "
                    "request");
  text += machine_text(report);
  text += witnesses_text(report);
  if (!place.empty()) text += explained("kept in", place);
  return text;
}

}  // namespace retrystorm
