#include "experiments/report/budget_text.hpp"

#include "core/error.hpp"
#include "core/number_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// Rounded down: a share below the target shall not read as the target.
std::string ratio_text(const Budget& b) {
  if (b.total == 0) return std::string(no_number);
  return fmt::format("{:.4f}%", static_cast<double>(ppm_of(b.good, b.total)) / 10'000);
}

}  // namespace

std::string budget_text(const RunBudget& run) {
  std::size_t width = 3;
  for (const TryBudget& one : run.tries) width = std::max(width, printable(one.arm).size());
  std::string text = fmt::format(
      "Error budget of {}: {}% of the requests succeed within {} of their schedule\n\n",
      printable(run.directory), percent_text(run.target_ppm), format_duration(run.latency));
  text += fmt::format(
      "{:{}}  try    total     good  slow  gave up  no answer  kept back  unsent*     ratio  "
      "allowed  remaining\n",
      "arm", width);
  bool doubtful = false;
  for (const TryBudget& one : run.tries) {
    const Budget& b = one.budget;
    text += fmt::format("{:{}}  {:3} {:8} {:8} {:5} {:8} {:10} {:10} {:8}  {:>8}  {:7}  {:9}{}\n",
                        printable(one.arm), width, one.try_number, b.total, b.good, one.slow,
                        one.gave_up, one.unfinished, one.kept_back, one.unsent, ratio_text(b),
                        b.allowed_bad, b.remaining, one.trusted ? "" : "  untrusted");
    doubtful = doubtful || !one.trusted;
  }
  text += "\n* not counted: the generator ran short of something and could not send them\n";
  if (doubtful) text += "untrusted: the measurement does not vouch for itself\n";
  return text;
}

}  // namespace retrystorm
