// Two reports held against each other, arm by arm: what changed, and whether it is more than
// chance.
//
// The rule. A figure has changed if its difference is beyond a tolerance, the larger of
//  - a floor: what two runs of one scenario on a quiet machine may differ by. For counts a share of
//    the arm's attempts (0.5 %, and at least 5), for rates and shares the same number of events,
//    for latencies 5 % and at least 1 ms;
//  - the spread, where either side has repeats: the half-width of the 99 % confidence interval of
//    the difference of the means (Welch's t; a side with one repeat borrows the other's variance).
// Means over the trusted repeats are compared where there are any. A change is a regression if it
// is for the worse in a figure that has a worse side: goodput, abandoned share, amplification,
// errors, latency of the successes (only where about as large a share of the requests succeeded on
// both sides: the few successes of a collapse are its fastest). Other counts may change without
// being judged: a queue that is cut has more rejected and is an improvement.
#pragma once

#include "core/terminal.hpp"
#include "experiments/report/report.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

struct Tolerances {
  std::int64_t attempts_ppm = 5'000;  // of an arm's attempts, in millionths
  double least_events = 5;
  std::int64_t latency_ppm = 50'000;
  double least_latency_ms = 1;
  double confidence = 0.99;
};

// From the best to the worst that a whole can be made of.
enum class Verdict : std::uint8_t { same, better, changed, worse, unjudged };
inline constexpr std::array<std::string_view, 5> verdict_names = {"same", "better", "changed",
                                                                  "worse", "unjudged"};
constexpr std::string_view name(Verdict v) {
  return verdict_names[static_cast<std::size_t>(v)];
}

struct FigureChange {
  std::string path;  // of the figure in a Tally
  double a = 0, b = 0;
  double tolerance = 0;
  bool by_spread = false;  // the spread was wider than the floor
  Verdict verdict = Verdict::same;
};

struct FieldChange {
  std::string field, a, b;
};

struct ArmChange {
  std::string arm;
  Verdict verdict = Verdict::same;
  std::string why_unjudged;
  std::size_t repeats_a = 0, repeats_b = 0;
  std::vector<FieldChange> fields;    // of the scenario
  std::vector<FigureChange> figures;  // all that both sides know
};

struct Comparison {
  std::string a, b;  // where the reports are
  std::vector<ArmChange> arms;
  std::vector<std::string> only_in_a, only_in_b;
  std::vector<FieldChange> environment;
  Verdict verdict = Verdict::same;
};

// Compares arms of the same name; two reports of one arm each are compared whatever their names.
// An arm that is not trusted on both sides is not judged unless `judge_untrusted`.
Comparison compare(const Report& a, const Report& b, const Tolerances& tolerances,
                   bool judge_untrusted);

// 0; 1 if any arm is worse or is missing from B; 3 if any could not be judged.
int exit_code_of(const Comparison& comparison);

// For people: only what changed, or all figures.
std::string comparison_text(const Comparison& comparison, bool all, const Look& look);
boost::json::value to_json(const Comparison& comparison);

}  // namespace retrystorm
