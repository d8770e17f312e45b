#include "experiments/verbs/predict_table.hpp"

#include "core/fields.hpp"
#include "core/number_text.hpp"
#include "core/wrapped_text.hpp"
#include "experiments/report/figure.hpp"
#include "experiments/report/fitted_columns.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr std::size_t label_width = 26;
constexpr std::size_t column_width = 13;

// The columns of a sweep, and their widths on the terminal.
struct SweepColumn {
  const TallyFigure& figure;
  std::size_t width;
  std::size_t leave;  // see FittedColumn
};
constexpr SweepColumn sweep_columns[] = {
    {figure_of("settled.goodput_per_s"), 12, 0},
    {figure_of("settled.throughput_per_s"), 14, 1},
    {figure_of("settled.abandoned_share"), 16, 3},
    {figure_of("settled.amplification"), 15, 2},
};

// One row: what `cell` makes of each engine's tally.
std::string row(std::string_view label, const std::vector<EngineAnswer>& answers,
                const std::function<std::string(const Tally&)>& cell) {
  std::string text = fmt::format("{:<{}}", label, label_width);
  for (const EngineAnswer& answer : answers) {
    text += fmt::format("{:>{}}", answer.tally ? cell(*answer.tally) : std::string(no_number),
                        column_width);
  }
  return text + "\n";
}

std::string counts_rows(const std::vector<EngineAnswer>& answers) {
  std::string text;
  for (const auto& figure : count_figures) {
    const auto value = [&](const Tally& tally) { return tally.counts.*figure.member; };
    // Rows that no engine answers, or where all say 0, only take room.
    const bool shown = std::any_of(answers.begin(), answers.end(), [&](const EngineAnswer& a) {
      return a.tally && value(*a.tally).value_or(0) != 0;
    });
    if (!shown) continue;
    text += row(figure.name, answers, [&](const Tally& t) { return count_text(value(t)); });
  }
  return text;
}

// What the settled figures of an engine are of, where that is not the run's own settled part.
std::string settled_text(const EngineAnswer& answer) {
  const Settling& settling = answer.tally->settling;
  if (!settling.reason.empty()) return explained(answer.engine, "not settled: " + settling.reason);
  if (settling.note.empty()) return {};
  return explained(answer.engine,
                   fmt::format("{}; the settled figures are of {} to {} s", settling.note,
                               fixed_text(settling.from_s, 1), fixed_text(settling.to_s, 1)));
}

std::string rates_rows(std::string_view window, const std::vector<EngineAnswer>& answers,
                       Rates Tally::*rates) {
  std::string text = fmt::format("{}\n", window);
  for (const auto& figure : rate_figures) {
    if (figure.member == &Rates::offered_per_s) continue;  // the scenario says it
    text += row("  " + narrow_heading(figure.heading), answers, [&](const Tally& t) {
      return terminal_text(figure.kind, (t.*rates).*figure.member);
    });
  }
  return text;
}

// What each stage of a load in stages came to, of the engines that follow it.
std::string stages_rows(const std::vector<EngineAnswer>& answers) {
  const auto found = std::find_if(answers.begin(), answers.end(), [](const EngineAnswer& answer) {
    return answer.tally && !answer.tally->stages.empty();
  });
  if (found == answers.end()) return {};
  std::string text;
  for (std::size_t i = 0; i < found->tally->stages.size(); ++i) {
    text += fmt::format("stage {}\n", found->tally->stages[i].stage);
    for (const auto& figure : rate_figures) {
      if (figure.member == &Rates::offered_per_s || figure.member == &Rates::seconds) continue;
      text += row("  " + narrow_heading(figure.heading), answers, [&](const Tally& t) {
        return i < t.stages.size() ? terminal_text(figure.kind, t.stages[i].whole.*figure.member)
                                   : std::string(no_number);
      });
    }
  }
  return text;
}

// The table of engines that fit beside each other.
std::string side_by_side(const std::vector<EngineAnswer>& answers) {
  std::string text(label_width, ' ');
  for (const EngineAnswer& answer : answers)
    text += fmt::format("{:>{}}", answer.engine, column_width);
  text += "\n" + counts_rows(answers);
  text += rates_rows("whole run", answers, &Tally::whole);
  text += stages_rows(answers);
  text += rates_rows("settled", answers, &Tally::settled);
  text += row("median of successes, ms", answers,
              [](const Tally& t) { return fixed_text(t.request.p50, 1); });
  text += row("p99 of successes, ms", answers,
              [](const Tally& t) { return fixed_text(t.request.p99, 1); });
  return text;
}

std::string fixed_points_text(const Tally& tally) {
  std::string text;
  for (const FixedPoint& point : tally.fixed_points) {
    text +=
        explained("", fmt::format("{} state: {} attempts/s, goodput {}/s",
                                  point.stable ? "stable" : "unstable",
                                  rate_text(point.attempts_per_s), rate_text(point.goodput_per_s)));
  }
  return text;
}

}  // namespace

std::string engines_table(const std::vector<EngineAnswer>& answers, std::size_t width) {
  const std::size_t room = width > label_width ? (width - label_width) / column_width : 0;
  std::string text;
  for (std::size_t from = 0; from < answers.size();) {
    const std::size_t n = std::clamp<std::size_t>(room, 1, answers.size() - from);
    const auto begin = answers.begin() + static_cast<std::ptrdiff_t>(from);
    if (from > 0) text += "\n";
    text += side_by_side({begin, begin + static_cast<std::ptrdiff_t>(n)});
    from += n;
  }
  for (const EngineAnswer& answer : answers) {
    if (!answer.tally) {
      text += explained(answer.engine, "refuses: " + answer.refusal);
      continue;
    }
    text += settled_text(answer);
    for (const std::string& left_out : answer.tally->approximations) {
      text += explained(answer.engine, "approximates: " + left_out);
    }
    if (!answer.tally->fixed_points.empty()) {
      text += explained(answer.engine, "its fixed points:");
      text += fixed_points_text(*answer.tally);
    }
  }
  return text;
}

std::string sweep_table(const Sweep& range, const std::vector<SweepStep>& steps,
                        std::size_t width) {
  const std::size_t values = std::max<std::size_t>(16, range.field.size());
  std::vector<FittedColumn> columns;
  for (const SweepColumn& column : sweep_columns) {
    columns.push_back({narrow_heading(column.figure.heading), column.width, column.leave});
  }
  const FittedColumns fit = fitted_columns(values, columns, width);
  std::string text = fmt::format("{:>{}}", range.field, values);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (fit.shown[i]) text += fmt::format("{:>{}}", columns[i].heading, columns[i].width);
  }
  text += "\n";
  for (const SweepStep& step : steps) {
    text += fmt::format("{:>{}}", to_text(step.value), values);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!fit.shown[i]) continue;
      const TallyFigure& figure = sweep_columns[i].figure;
      text += fmt::format("{:>{}}", terminal_text(figure.kind, figure.in(step.tally)),
                          columns[i].width);
    }
    text += "\n";
  }
  return text + fit.note(width);
}

std::string unsettled_text(const std::vector<SweepStep>& steps) {
  const auto unsettled = [](const SweepStep& step) { return !step.tally.settling.reason.empty(); };
  const auto count = std::count_if(steps.begin(), steps.end(), unsettled);
  if (count == 0) return {};
  const auto first = std::find_if(steps.begin(), steps.end(), unsettled);
  return explained("unsettled",
                   fmt::format("{} of {} steps; the first of them, {}: {}", count, steps.size(),
                               to_text(first->value), first->tally.settling.reason));
}

std::string sweep_csv(const Sweep& range, const std::vector<SweepStep>& steps) {
  std::string text = range.field;
  for (const SweepColumn& column : sweep_columns) text += fmt::format(",{}", column.figure.name);
  text += ",whole_goodput_per_s\n";
  const auto cell = [](const Count& c) { return "," + (c ? format_number(*c) : std::string()); };
  for (const SweepStep& step : steps) {
    text += to_text(step.value);
    for (const SweepColumn& column : sweep_columns) text += cell(column.figure.in(step.tally));
    text += cell(step.tally.whole.goodput_per_s) + "\n";
  }
  return text;
}

}  // namespace retrystorm
