#include "experiments/report/formats/table.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/number_text.hpp"
#include "core/units.hpp"
#include "core/wrapped_text.hpp"
#include "experiments/report/count_error.hpp"
#include "experiments/report/figure.hpp"
#include "experiments/report/settled_arms.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr std::size_t label_width = 24;

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

// A share stands behind its count, which names it and says that it is not known.
std::string cell_text(FigureKind kind, const Count& value) {
  return kind == FigureKind::share && !value ? std::string() : terminal_text(kind, value);
}

// A line of the table: in each column of the overview what `value` says of its path.
template <typename Value>
std::string row_text(std::string_view label, Value value) {
  std::string text = fmt::format("  {:<{}}", label, label_width - 2);
  for (const auto& [figure, width] : overview_figures) {
    if (width == 0) continue;
    text += fmt::format("{:>{}}", cell_text(figure.kind, value(figure.path)), width);
  }
  return text + "\n";
}

std::string heading_text() {
  std::string text(label_width, ' ');
  for (const auto& [figure, width] : overview_figures) {
    if (width == 0) continue;
    const bool named = figure.kind != FigureKind::share;
    text += fmt::format("{:>{}}", named ? narrow_heading(figure.heading) : "", width);
  }
  return text + "\n";
}

std::string whole_row(std::string_view label, const Tally& t) {
  return row_text(label, [&](std::string_view path) { return figure_at(t, path); });
}

// Of a part of the run there are rates; the counts follow from them.
std::string rates_row(std::string_view label, const Rates& r) {
  const auto count = [&](const Count& rate) -> Count {
    return rate && r.seconds ? Count(std::round(*rate * *r.seconds)) : std::nullopt;
  };
  return row_text(label, [&](std::string_view path) -> Count {
    constexpr std::string_view whole = "whole.";
    if (path.starts_with(whole)) {
      for (const auto& row : rate_figures) {
        if (path.substr(whole.size()) == row.name) return r.*row.member;
      }
    }
    if (path == "counts.attempts") return count(r.attempts_per_s);
    const Count completed = count(r.throughput_per_s);
    if (path == "counts.completed") return completed;
    if (path == "counts.abandoned" && completed && r.abandoned_share) {
      return std::round(*completed * *r.abandoned_share);
    }
    return std::nullopt;
  });
}

// A stage as the first column takes it.
std::string shortened(std::string_view stage) {
  constexpr std::size_t most = label_width - 5;
  return stage.size() <= most ? std::string(stage) : fmt::format("{}~", stage.substr(0, most - 1));
}

// A mean or a percentile of counts is shown as a whole count.
Count rounded_count(std::string_view path, const Count& value) {
  return value && path.starts_with("counts.") ? Count(std::round(*value)) : value;
}

std::string spread_row(std::string_view label, const Tally& t, double Spread::*end) {
  return row_text(label, [&](std::string_view path) -> Count {
    const auto found = t.spread.find(std::string(path));
    if (found == t.spread.end()) return std::nullopt;
    return rounded_count(path, found->second.*end);
  });
}

std::string predicted_row(std::string_view label, const Tally& t) {
  return row_text(label,
                  [&](std::string_view path) { return rounded_count(path, figure_at(t, path)); });
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
  std::string text = fmt::format("  {:<{}}", label, label_width - 2);
  for (const auto& [figure, width] : overview_figures) {
    if (figure.kind != FigureKind::count || width == 0) continue;
    const auto error = count_error(figure.path.substr(std::string_view("counts.").size()),
                                   predicted.counts, measured.counts);
    text += fmt::format("{:>{}}", signed_percent(error ? error->share_of_attempts : std::nullopt),
                        width);
  }
  return text + "\n";
}

std::string predicted_rows(const ArmReport& arm) {
  std::string text;
  const Tally* nominal = simulated(arm.predicted.nominal);
  const Tally* calibrated = simulated(arm.predicted.calibrated);
  const auto& measured = arm.measured;
  if (nominal) text += predicted_row("predicted, nominal", *nominal);
  const bool compared = comparable(arm);
  if (nominal && compared) text += error_row("  off measured by", *nominal, *measured);
  if (calibrated) text += predicted_row("predicted, calibrated", *calibrated);
  if (calibrated && compared) text += error_row("  off measured by", *calibrated, *measured);
  if (arm.predicted.replay && compared) {
    text += error_row("replay off by", *arm.predicted.replay, *measured);
  }
  return text;
}

std::string arm_text(const ArmReport& arm, const Style& style) {
  std::string text =
      fmt::format("{}  {}\n", style.bold(printable(arm.name, 400)), verdict(arm, style));
  if (arm.published) text += whole_row("published", arm.published->tally);
  text += predicted_rows(arm);
  if (const auto& t = arm.measured) {
    const auto window = [](const Count& s) {
      return s ? fmt::format("{:.3g} s", *s) : std::string(no_number);
    };
    text += whole_row(fmt::format("whole run, {}", window(t->whole.seconds)), *t);
    for (std::size_t c = 0; c < t->classes.size(); ++c) {
      text += whole_row(fmt::format("  class {}", c), t->classes[c]);
    }
    for (const StageRates& stage : t->stages) {
      text += rates_row(fmt::format("  {}", shortened(stage.stage)), stage.whole);
    }
    if (!t->spread.empty()) {
      const auto n = std::count_if(arm.tries.begin(), arm.tries.end(),
                                   [](const Try& one) { return one.trusted; });
      text += spread_row(fmt::format("  low, of {} trusted", n), *t, &Spread::low);
      text += spread_row("  high", *t, &Spread::high);
    }
    if (t->settled.seconds) {
      text += rates_row(fmt::format("settled, {}", window(t->settled.seconds)), t->settled);
    } else if (const std::string why = unsettled_words(arm); !why.empty()) {
      text += fmt::format("  ~ {}\n", printable(why, 1000));
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
    if (!comparable(arm) || !arm.predicted.replay) continue;
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
  const JsonObject machine(report.environment, "environment");
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
          machine.text_or("kernel", "unknown"), machine.whole("cores"),
          machine.text_or("clock_source", "unknown"), fixed_text(lag, 2), fixed_text(trip, 2)));
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

std::string report_table(const Report& report, std::string_view directory, bool colour) {
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
  if (!directory.empty()) text += explained("kept in", directory);
  return text;
}

}  // namespace retrystorm
