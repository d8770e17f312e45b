#include "experiments/report/compare/compare.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"
#include "core/share.hpp"
#include "experiments/report/figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include <boost/json/object.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

// The figures that a comparison tells, part by part, and row by row in each.
constexpr auto told_figures = [] {
  constexpr auto told = [](const TallyFigure& f) { return f.compared != Compared::nowhere; };
  std::array<const TallyFigure*, std::count_if(tally_figures.begin(), tally_figures.end(), told)>
      list{};
  std::size_t size = 0;
  for (const TallyFigure& figure : tally_figures) {
    if (told(figure)) list[size++] = &figure;
  }
  std::sort(list.begin(), list.end(), [](const TallyFigure* a, const TallyFigure* b) {
    return std::tuple(a->compared, a->row, a->part) < std::tuple(b->compared, b->row, b->part);
  });
  return list;
}();

// A high quantile of few values is one value's luck.
constexpr double successes_for_median = 50;
constexpr double successes_for_p99 = 1000;

// A figure over the repeats of one side.
struct Sample {
  std::size_t n = 0;
  double mean = 0;
  double variance = 0;  // of one value; 0 for a single one
};

std::optional<Sample> sample_of(const ArmReport& arm, const TallyFigure& figure) {
  std::vector<double> values;
  if (arm.trusted && arm.repeats.size() > 1) {
    for (const Tally& tally : arm.repeats) {
      if (const Count& value = figure.in(tally)) values.push_back(*value);
    }
  } else if (const Count& value = figure.in(*arm.measured)) {
    values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  Sample s;
  s.n = values.size();
  const auto n = static_cast<double>(s.n);
  s.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  for (const double v : values) s.variance += (v - s.mean) * (v - s.mean);
  if (s.n > 1) s.variance /= n - 1;
  return s;
}

// Half the width of the confidence interval of the difference of the means; 0 without repeats.
double spread_tolerance(Sample a, Sample b, double confidence) {
  if (a.n < 2 && b.n < 2) return 0;
  double freedom = 0;
  if (a.n < 2) {
    a.variance = b.variance;
    freedom = static_cast<double>(b.n - 1);
  } else if (b.n < 2) {
    b.variance = a.variance;
    freedom = static_cast<double>(a.n - 1);
  }
  const double va = a.variance / static_cast<double>(a.n);
  const double vb = b.variance / static_cast<double>(b.n);
  if (va + vb <= 0) return 0;
  if (freedom == 0) {  // Welch and Satterthwaite
    freedom = (va + vb) * (va + vb) /
              (va * va / static_cast<double>(a.n - 1) + vb * vb / static_cast<double>(b.n - 1));
  }
  const boost::math::students_t distribution(freedom);
  return boost::math::quantile(distribution, 0.5 + confidence / 2) * std::sqrt(va + vb);
}

double of_share(std::int64_t share_ppm, double whole) {
  return static_cast<double>(share_ppm) * whole / static_cast<double>(ppm);
}

double floor_of(const TallyFigure& figure, const ArmReport& a, const ArmReport& b, double mean_a,
                double mean_b, const Tolerances& t) {
  const auto larger = [&](std::string_view path) {
    return std::max(figure_at(*a.measured, path).value_or(0),
                    figure_at(*b.measured, path).value_or(0));
  };
  if (figure.kind == FigureKind::milliseconds) {
    return std::max(t.least_latency_ms, of_share(t.latency_ppm, std::max(mean_a, mean_b)));
  }
  // The events of the window the figure is of.
  const bool settled = figure.path().starts_with("settled.");
  const double window = larger(settled ? "settled.seconds" : "whole.seconds");
  const std::string group = settled ? "settled." : "whole.";
  const double attempts = larger(group + "attempts_per_s") * window;
  const double events = std::max(t.least_events, of_share(t.attempts_ppm, attempts));
  const auto per = [&](double of) { return of > 0 ? events / of : 0; };
  switch (figure.per) {
    case Per::second:
      return per(window);
    case Per::completion:
      return per(larger(group + "throughput_per_s") * window);
    case Per::request:
      return per(larger(group + "offered_per_s") * window);
    case Per::nothing:
      break;
  }
  return events;
}

bool enough_for(const TallyFigure& figure, const ArmReport& a, const ArmReport& b) {
  if (figure.kind != FigureKind::milliseconds) return true;
  const double least = figure.name == "p99" ? successes_for_p99 : successes_for_median;
  return a.measured->counts.succeeded.value_or(0) >= least &&
         b.measured->counts.succeeded.value_or(0) >= least;
}

// Latencies of successes are of one kind only if about as many succeeded: those of a collapse are
// the few that came first.
bool comparable_successes(const ArmReport& a, const ArmReport& b) {
  constexpr std::int64_t most_apart_ppm = 50'000;
  const auto of = [](const ArmReport& arm) {
    const Counts& c = arm.measured->counts;
    const double offered = c.offered.value_or(0);
    return offered > 0 ? std::pair(c.succeeded.value_or(0), offered) : std::pair(0.0, 1.0);
  };
  const auto [succeeded_a, offered_a] = of(a);
  const auto [succeeded_b, offered_b] = of(b);
  return !rate_exceeds(std::abs(succeeded_a * offered_b - succeeded_b * offered_a),
                       offered_a * offered_b, most_apart_ppm);
}

Verdict judged(const FigureChange& change, Better better) {
  const double difference = change.b - change.a;
  // Rates carry the rounding of a division: what is at the tolerance but for that is within it.
  const double rounding = 1e-12 * (std::abs(change.a) + std::abs(change.b));
  if (std::abs(difference) <= change.tolerance + rounding) return Verdict::same;
  if (better == Better::neither) return Verdict::changed;
  return (difference > 0) == (better == Better::higher) ? Verdict::better : Verdict::worse;
}

std::string why_unjudged(const ArmReport& a, const ArmReport& b, bool judge_untrusted) {
  for (const auto& [arm, side] : {std::pair(&a, 'A'), std::pair(&b, 'B')}) {
    if (!arm->measured) return fmt::format("nothing was measured of it in {}", side);
    if (!arm->trusted && !judge_untrusted) return fmt::format("it is not trusted in {}", side);
    if (!comparable(*arm)) return fmt::format("it did not come to its end in {}", side);
  }
  return {};
}

// The whole of several verdicts: what is worse counts most but for what could not be judged.
Verdict together(Verdict a, Verdict b) {
  return std::max(a, b);
}

ArmChange compare_arms(const ArmReport& a, const ArmReport& b, const Tolerances& tolerances,
                       bool judge_untrusted) {
  ArmChange change;
  change.arm = a.name == b.name ? a.name : fmt::format("{} against {}", a.name, b.name);
  for (const Field& field : fields()) {
    const FieldValue before = field.get(a.scenario);
    const FieldValue after = field.get(b.scenario);
    if (before != after) {
      change.fields.push_back({field.path(), to_text(before), to_text(after)});
    }
  }
  change.why_unjudged = why_unjudged(a, b, judge_untrusted);
  if (!a.measured || !b.measured) {
    change.verdict = Verdict::unjudged;
    return change;
  }
  for (const TallyFigure* told : told_figures) {
    const TallyFigure& figure = *told;
    const auto before = sample_of(a, figure);
    const auto after = sample_of(b, figure);
    if (!before || !after || !enough_for(figure, a, b)) continue;
    change.repeats_a = std::max(change.repeats_a, before->n);
    change.repeats_b = std::max(change.repeats_b, after->n);
    FigureChange f;
    f.path = figure.path();
    f.a = before->mean;
    f.b = after->mean;
    const double least = floor_of(figure, a, b, f.a, f.b, tolerances);
    const double spread = spread_tolerance(*before, *after, tolerances.confidence);
    f.tolerance = std::max(least, spread);
    f.by_spread = spread > least;
    const bool judge = figure.kind != FigureKind::milliseconds || comparable_successes(a, b);
    f.verdict = judged(f, judge ? figure.better : Better::neither);
    change.verdict = together(change.verdict, f.verdict);
    change.figures.push_back(std::move(f));
  }
  if (!change.why_unjudged.empty()) change.verdict = Verdict::unjudged;
  return change;
}

const ArmReport* find_arm(const Report& report, std::string_view name) {
  const auto found = std::find_if(report.arms.begin(), report.arms.end(),
                                  [&](const ArmReport& arm) { return arm.name == name; });
  return found == report.arms.end() ? nullptr : &*found;
}

// What of the machine differs; not what differs from one moment to the next.
std::vector<FieldChange> environment_changes(const Report& a, const Report& b) {
  std::vector<FieldChange> changes;
  const auto text = [](const Report& report, std::string_view key) {
    const auto* value = report.environment.if_contains(key);
    return value ? value_text(*value) : "unknown";
  };
  const auto note = [&](std::string_view key) {
    if (key == "load_average") return;
    const std::string before = text(a, key);
    const std::string after = text(b, key);
    if (before != after) changes.push_back({std::string(key), before, after});
  };
  for (const auto& [key, value] : a.environment) note({key.data(), key.size()});
  for (const auto& [key, value] : b.environment) {
    if (!a.environment.contains(key)) note({key.data(), key.size()});
  }
  return changes;
}

}  // namespace

Comparison compare(const Report& a, const Report& b, const Tolerances& tolerances,
                   bool judge_untrusted) {
  Comparison comparison;
  comparison.environment = environment_changes(a, b);
  if (a.experiment != b.experiment) {
    comparison.environment.insert(comparison.environment.begin(),
                                  {"experiment", a.experiment, b.experiment});
  }
  const auto add = [&](const ArmReport& before, const ArmReport& after) {
    comparison.arms.push_back(compare_arms(before, after, tolerances, judge_untrusted));
    comparison.verdict = together(comparison.verdict, comparison.arms.back().verdict);
  };
  if (a.arms.size() == 1 && b.arms.size() == 1) {
    add(a.arms.front(), b.arms.front());
    return comparison;
  }
  for (const ArmReport& arm : a.arms) {
    if (const ArmReport* other = find_arm(b, arm.name)) {
      add(arm, *other);
    } else {
      comparison.only_in_a.push_back(arm.name);
    }
  }
  if (comparison.arms.empty()) {
    throw InvalidInput(b.experiment, "arms",
                       fmt::format("no arm has a name of those of '{}', such as '{}': there is "
                                   "nothing to compare",
                                   a.experiment, a.arms.empty() ? "" : a.arms.front().name));
  }
  for (const ArmReport& arm : b.arms) {
    if (!find_arm(a, arm.name)) comparison.only_in_b.push_back(arm.name);
  }
  if (!comparison.only_in_a.empty()) {
    comparison.verdict = together(comparison.verdict, Verdict::worse);
  }
  return comparison;
}

int exit_code_of(const Comparison& comparison) {
  int code = comparison.only_in_a.empty() ? exit_done : exit_failed;
  for (const ArmChange& arm : comparison.arms) {
    if (arm.verdict == Verdict::worse) code = worse_exit(code, exit_failed);
    if (arm.verdict == Verdict::unjudged) code = worse_exit(code, exit_untrusted);
  }
  return code;
}

}  // namespace retrystorm
