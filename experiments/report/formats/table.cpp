#include "experiments/report/formats/table.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/number_text.hpp"
#include "core/units.hpp"
#include "core/wrapped_text.hpp"
#include "experiments/report/count_error.hpp"
#include "experiments/report/figure.hpp"
#include "experiments/report/fitted_columns.hpp"
#include "experiments/report/settled_arms.hpp"
#include "experiments/report/tables.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr std::size_t label_width = 24;

std::string heading_of(const Figure& figure) {
  // A share stands behind its count, which names it.
  return figure.kind == FigureKind::share ? std::string() : narrow_heading(figure.heading);
}

// The columns of the overview that have a width here.
FittedColumns columns_in(const std::vector<OverviewFigure>& figures, std::size_t width) {
  std::vector<FittedColumn> columns;
  for (const auto& [figure, wide, leave] : figures) {
    columns.push_back({heading_of(figure), wide, leave});
  }
  return fitted_columns(label_width, columns, width);
}

struct Style {
  Style(const Look& look, const Report& report)
      : colour(look.colour),
        width(look.width),
        figures(overview_columns(report)),
        columns(columns_in(figures, look.width)) {}

  bool colour;
  std::size_t width;
  std::vector<OverviewFigure> figures;
  FittedColumns columns;  // which of them
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
std::string row_text(const Style& style, std::string_view label, Value value) {
  std::string text = fmt::format("  {:<{}}", label, label_width - 2);
  for (std::size_t i = 0; i < style.figures.size(); ++i) {
    const auto& [figure, width, leave] = style.figures[i];
    if (width == 0 || !style.columns.shown[i]) continue;
    text += fmt::format("{:>{}}", cell_text(figure.kind, value(figure.path)), width);
  }
  return text + "\n";
}

std::string heading_text(const Style& style) {
  std::string text(label_width, ' ');
  for (std::size_t i = 0; i < style.figures.size(); ++i) {
    const auto& [figure, width, leave] = style.figures[i];
    if (width == 0 || !style.columns.shown[i]) continue;
    text += fmt::format("{:>{}}", heading_of(figure), width);
  }
  return text + "\n";
}

std::string whole_row(const Style& style, std::string_view label, const Tally& t) {
  return row_text(style, label, [&](std::string_view path) { return figure_at(t, path); });
}

// Of a part of the run there are rates; the counts follow from them.
std::string rates_row(const Style& style, std::string_view label, const Rates& r) {
  const auto count = [&](const Count& rate) -> Count {
    return rate && r.seconds ? Count(std::round(*rate * *r.seconds)) : std::nullopt;
  };
  return row_text(style, label, [&](std::string_view path) -> Count {
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

std::string spread_row(const Style& style, std::string_view label, const Tally& t,
                       double Spread::*end) {
  return row_text(style, label, [&](std::string_view path) -> Count {
    const auto found = t.spread.find(std::string(path));
    if (found == t.spread.end()) return std::nullopt;
    return rounded_count(path, found->second.*end);
  });
}

std::string predicted_row(const Style& style, std::string_view label, const Tally& t) {
  return row_text(style, label,
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
std::string error_row(const Style& style, std::string_view label, const Tally& predicted,
                      const Tally& measured) {
  std::string text = fmt::format("  {:<{}}", label, label_width - 2);
  for (std::size_t i = 0; i < style.figures.size(); ++i) {
    const auto& [figure, width, leave] = style.figures[i];
    if (figure.kind != FigureKind::count || width == 0 || !style.columns.shown[i]) continue;
    const auto error = count_error(figure.path.substr(std::string_view("counts.").size()),
                                   predicted.counts, measured.counts);
    text += fmt::format("{:>{}}", signed_percent(error ? error->share_of_attempts : std::nullopt),
                        width);
  }
  return text + "\n";
}

std::string predicted_rows(const ArmReport& arm, const Style& style) {
  std::string text;
  const Tally* nominal = simulated(arm.predicted.nominal);
  const Tally* calibrated = simulated(arm.predicted.calibrated);
  const auto& measured = arm.measured;
  if (nominal) text += predicted_row(style, "predicted, nominal", *nominal);
  const bool compared = comparable(arm);
  if (nominal && compared) text += error_row(style, "  off measured by", *nominal, *measured);
  if (calibrated) text += predicted_row(style, "predicted, calibrated", *calibrated);
  if (calibrated && compared) text += error_row(style, "  off measured by", *calibrated, *measured);
  if (arm.predicted.replay && compared) {
    text += error_row(style, "replay off by", *arm.predicted.replay, *measured);
  }
  return text;
}

std::string arm_text(const ArmReport& arm, const Style& style) {
  std::string text =
      fmt::format("{}  {}\n", style.bold(printable(arm.name, 400)), verdict(arm, style));
  if (arm.published) text += whole_row(style, "published", arm.published->tally);
  text += predicted_rows(arm, style);
  if (const auto& t = arm.measured) {
    const auto window = [](const Count& s) {
      return s ? fmt::format("{:.3g} s", *s) : std::string(no_number);
    };
    text += whole_row(style, fmt::format("whole run, {}", window(t->whole.seconds)), *t);
    for (std::size_t c = 0; c < t->classes.size(); ++c) {
      text += whole_row(style, fmt::format("  class {}", c), t->classes[c]);
    }
    for (const StageRates& stage : t->stages) {
      text += rates_row(style, fmt::format("  {}", shortened(stage.stage)), stage.whole);
    }
    if (!t->spread.empty()) {
      const auto n = std::count_if(arm.tries.begin(), arm.tries.end(),
                                   [](const Try& one) { return one.trusted; });
      text += spread_row(style, fmt::format("  low, of {} trusted", n), *t, &Spread::low);
      text += spread_row(style, "  high", *t, &Spread::high);
    }
    if (t->settled.seconds) {
      text += rates_row(style, fmt::format("settled, {}", window(t->settled.seconds)), t->settled);
    } else if (const std::string why = unsettled_words(arm); !why.empty()) {
      text += bulleted("  ~ ", why, style.width);
    }
  }
  for (const std::string& reason : arm.reasons) text += bulleted("  ! ", reason, style.width);
  for (const std::string& none : not_predicted_words(arm)) {
    text += bulleted("  ~ ", none, style.width);
  }
  for (const Try& t : arm.tries) {
    if (!arm.measured_try || t.key.try_number != arm.measured_try->try_number) continue;
    for (const std::string& warning : t.warnings) text += bulleted("  ~ ", warning, style.width);
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

std::string openings_text(const Report& report, std::size_t width) {
  std::string text;
  for (const ArmReport& arm : report.arms) {
    if (!is_opening_only(arm)) continue;
    if (text.empty()) {
      text = "\n" + explained("goodput",
                              "In the arms below, the whole run's goodput is its first moments "
                              "divided by its length: it does not last, and a longer run would "
                              "show less, down to the settled figure. So it is with a published "
                              "goodput of such a run.",
                              width);
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
    text += explained("", line, width);
  }
  return text;
}

// Where in the band of the calibrated prediction the measurements fell, and the worst structural
// error.
std::string predictions_text(const Report& report, std::size_t width) {
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
                   "attempts.",
                   width) +
         explained(
             "",
             fmt::format("Worst structural error: {} of attempts ({}, {}). Of the counts, {} of {} "
                         "lie within the calibrated band (2.5 to 97.5 % of the seeds).",
                         signed_percent(worst->share_of_attempts), worst->count, worst_arm, within,
                         judged),
             width);
}

std::string sources_text(const Report& report, std::size_t width) {
  std::string text;
  std::set<std::string> told;
  for (const ArmReport& arm : report.arms) {
    if (!arm.published || !told.insert(arm.published->source).second) continue;
    text += explained(
        "published",
        fmt::format("{}; its rates are {}.", arm.published->source, arm.published->rates), width);
    for (const std::string& note : arm.published->notes) text += explained("", note, width);
  }
  return text;
}

std::string machine_text(const Report& report, std::size_t width) {
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
          machine.text_or("clock_source", "unknown"), fixed_text(lag, 2), fixed_text(trip, 2)),
      width);
}

// What the three witnesses say of each other, if Prometheus was one.
std::string witnesses_text(const Report& report, std::size_t width) {
  std::size_t asked = 0, agreed = 0;
  std::uint64_t scrapes = 0, missed = 0;
  double slowest_ms = 0;
  for (const ArmReport& arm : report.arms) {
    for (const Try& t : arm.tries) {
      if (!t.scraped) continue;
      ++asked;
      if (disagreements(*t.scraped, t.tally).empty()) ++agreed;
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
          agreed, asked, scrapes, slowest_ms, missed),
      width);
}

}  // namespace

std::string report_table(const Report& report, std::string_view directory, const Look& look) {
  const Style style(look, report);
  std::string text = style.bold(printable(report.experiment, 400)) + "\n";
  if (!report.question.empty()) text += bulleted("", report.question, look.width);
  if (report.partial) {
    text += style.bad("PARTIAL: not every arm was measured to its end") + "\n";
  }
  text += fmt::format("\n{}", style.bold(heading_text(style)));
  for (const ArmReport& arm : report.arms) text += arm_text(arm, style);
  text += openings_text(report, look.width);
  text += "\n" + style.columns.note(look.width);
  text += sources_text(report, look.width);
  text += predictions_text(report, look.width);
  text += explained("whole run", "from the start to the last reply or completion", look.width);
  text += explained("settled",
                    "without the opening, to the end of sending: what an overload that lasts "
                    "comes to",
                    look.width);
  if (style.figures.size() > std::size(overview_figures)) {
    text += explained("unsent",
                      "requests that no attempt was made for: held back by the client's own "
                      "policy, or for a shortage of the generator's, which then stands above",
                      look.width);
  }
  text += explained("abandoned",
                    "completed for clients that had already left, and their share of completions",
                    look.width);
  text += explained("median",
                    "latency of the successes from their scheduled instant; ampl.: attempts per "
                    "request",
                    look.width);
  text += machine_text(report, look.width);
  text += witnesses_text(report, look.width);
  for (const std::string& notice : report.notices) {
    text += explained("notice", printable(notice, 1000), look.width);
  }
  if (!directory.empty()) text += explained("kept in", directory, look.width);
  return text;
}

}  // namespace retrystorm
