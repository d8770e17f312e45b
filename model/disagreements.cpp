#include "model/disagreements.hpp"

#include "core/fields.hpp"
#include "core/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {
namespace {

// How far a figure may be off by chance, or by the count or two at the ends of its window.
double grain(const Tally& t) {
  const double counts = t.settled.seconds ? 2 / *t.settled.seconds : 0;
  const auto spread = t.spread.find("settled.goodput_per_s");
  return counts + (spread == t.spread.end() ? 0 : 2 * spread->second.sd);
}

// True if a stable state of `t` beside its first has this goodput, to a tenth of the load.
bool has_other_state_at(const Tally& t, double goodput, double rate) {
  return t.fixed_points.size() > 1 &&
         std::any_of(t.fixed_points.begin() + 1, t.fixed_points.end(), [&](const FixedPoint& p) {
           return p.stable && std::abs(p.goodput_per_s - goodput) <= 0.1 * rate;
         });
}

std::string why(const Scenario& s, const Tally& a, const Tally& b) {
  std::vector<std::string> reasons;
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (has_other_state_at(*one, *other->settled.goodput_per_s, s.client.rate)) {
      reasons.push_back(
          fmt::format("{} came to another of the states of {}", other->engine, one->engine));
    }
    if (!one->approximations.empty()) reasons.push_back(one->engine + " approximates, see there");
    if (one->engine == "simulate" && one->spread.empty() && is_random(s)) {
      reasons.push_back("simulate is one sample of many; --seeds 20 tells how they spread");
    }
    if (one->engine == "stationary" && other->settled.seconds) {
      reasons.push_back(fmt::format("stationary is a run without end, {} one whose window is {} s",
                                    other->engine, fixed_text(other->settled.seconds, 2)));
    }
  }
  return reasons.empty() ? "no reason is known: one of the two is wrong"
                         : fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace

std::vector<std::string> disagreements(const Scenario& s, std::span<const Tally> answers) {
  std::vector<std::string> sentences;
  const auto first = std::find_if(answers.begin(), answers.end(), [](const Tally& t) {
    return t.settled.goodput_per_s.has_value();
  });
  if (first == answers.end()) return sentences;
  for (auto t = first + 1; t != answers.end(); ++t) {
    if (!t->settled.goodput_per_s) continue;
    const double off = std::abs(*t->settled.goodput_per_s - *first->settled.goodput_per_s);
    if (off <= 0.01 * s.client.rate + grain(*first) + grain(*t)) continue;
    sentences.push_back(fmt::format("{} {}/s, {} {}/s of settled goodput: {}", first->engine,
                                    rate_text(first->settled.goodput_per_s), t->engine,
                                    rate_text(t->settled.goodput_per_s), why(s, *first, *t)));
  }
  return sentences;
}

}  // namespace retrystorm
