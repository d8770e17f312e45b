// A comparison for people and for machines.
#include "core/error.hpp"
#include "core/json.hpp"
#include "core/wrapped_text.hpp"
#include "experiments/report/compare/compare.hpp"
#include "experiments/report/figure.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

std::string words_of(const TallyFigure& figure) {
  return path_words(figure.short_path()) + (figure.kind == FigureKind::milliseconds ? " ms" : "");
}

// What a figure's line takes with its tolerance; in less, that is left out.
constexpr std::size_t width_of_a_line = 110;

std::string figure_line(const FigureChange& f, bool whole_lines) {
  const TallyFigure& figure = figure_of(f.path);
  const auto text = [&](double value) {
    // Means over repeats are no whole counts.
    return figure_text(figure.kind == FigureKind::count ? FigureKind::rate : figure.kind, value);
  };
  const double difference = f.b - f.a;
  const std::string rule = fmt::format("  tolerance {:<10}{:<11}", text(f.tolerance),
                                       f.by_spread ? "(spread)" : "(floor)");
  return fmt::format("  {:<26}{:>12} -> {:<12}{:>12}{}{}\n", words_of(figure), text(f.a), text(f.b),
                     (difference >= 0 ? "+" : "") + text(difference),
                     whole_lines ? rule : std::string("  "), name(f.verdict));
}

class Painter {
 public:
  explicit Painter(bool colour) : colour_(colour) {}
  std::string verdict(Verdict v) const {
    const int code = v == Verdict::worse || v == Verdict::unjudged ? 31
                     : v == Verdict::better                        ? 32
                                                                   : 0;
    return colour_ && code != 0 ? fmt::format("\x1b[{}m{}\x1b[0m", code, name(v))
                                : std::string(name(v));
  }

 private:
  bool colour_;
};

std::string repeats_text(const ArmChange& arm) {
  if (arm.repeats_a < 2 && arm.repeats_b < 2) return "no repeats";
  return fmt::format("{} and {} repeats", arm.repeats_a, arm.repeats_b);
}

json::value changes_json(const std::vector<FieldChange>& changes) {
  json::array list;
  for (const FieldChange& c : changes) {
    list.push_back({{"field", c.field}, {"a", c.a}, {"b", c.b}});
  }
  return list;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, bool all, const Look& look) {
  const Painter paint(look.colour);
  const bool whole_lines = look.width >= width_of_a_line;
  bool left_out = false;
  std::string text =
      fmt::format("A  {}\nB  {}\n", printable(comparison.a, 4000), printable(comparison.b, 4000));
  for (const FieldChange& c : comparison.environment) {
    text += fmt::format("   {}: {} -> {}\n", printable(c.field), printable(c.a), printable(c.b));
  }
  bool any_repeats = false;
  for (const ArmChange& arm : comparison.arms) {
    any_repeats = any_repeats || arm.repeats_a > 1 || arm.repeats_b > 1;
    text += fmt::format("\n{}  {}  ({}{})\n", printable(arm.arm), paint.verdict(arm.verdict),
                        repeats_text(arm),
                        arm.why_unjudged.empty() ? "" : "; not judged: " + arm.why_unjudged);
    for (const FieldChange& c : arm.fields) {
      text += fmt::format("  {:<26}{:>12} -> {:<12}  scenario\n", c.field, c.a, c.b);
    }
    for (const FigureChange& f : arm.figures) {
      if (!all && f.verdict == Verdict::same) continue;
      text += figure_line(f, whole_lines);
      left_out = left_out || !whole_lines;
    }
  }
  for (const std::string& arm : comparison.only_in_a) {
    text +=
        fmt::format("\n{}  {}  (missing from B)\n", printable(arm), paint.verdict(Verdict::worse));
  }
  for (const std::string& arm : comparison.only_in_b) {
    text += fmt::format("\n{}  new in B\n", printable(arm));
  }
  if (left_out) {
    text += "\n" + explained("not shown",
                             fmt::format("the tolerances: the lines have {} columns; COLUMNS={} "
                                         "shows all",
                                         look.width, width_of_a_line),
                             look.width);
  }
  text += fmt::format("\n{}", paint.verdict(comparison.verdict));
  if (!any_repeats && !comparison.arms.empty()) {
    text += "; the spread is not known: measure with --repeat 5 to judge finer than the floor";
  }
  return text + "\n";
}

json::value to_json(const Comparison& comparison) {
  json::array arms;
  for (const ArmChange& arm : comparison.arms) {
    json::array figures;
    for (const FigureChange& f : arm.figures) {
      figures.push_back({{"path", f.path},
                         {"a", json_number(f.a)},
                         {"b", json_number(f.b)},
                         {"difference", json_number(f.b - f.a)},
                         {"tolerance", json_number(f.tolerance)},
                         {"rule", f.by_spread ? "spread" : "floor"},
                         {"verdict", name(f.verdict)}});
    }
    arms.push_back({{"arm", arm.arm},
                    {"verdict", name(arm.verdict)},
                    {"why_unjudged", arm.why_unjudged},
                    {"repeats", {{"a", arm.repeats_a}, {"b", arm.repeats_b}}},
                    {"scenario", changes_json(arm.fields)},
                    {"figures", std::move(figures)}});
  }
  return {{"a", comparison.a},
          {"b", comparison.b},
          {"verdict", name(comparison.verdict)},
          {"environment", changes_json(comparison.environment)},
          {"arms", std::move(arms)},
          {"only_in_a", json::value_from(comparison.only_in_a)},
          {"only_in_b", json::value_from(comparison.only_in_b)}};
}

}  // namespace retrystorm
