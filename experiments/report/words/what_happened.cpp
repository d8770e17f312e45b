// What happened, in sentences.
#include "core/number_text.hpp"
#include "experiments/report/figure.hpp"
#include "experiments/report/words/arms.hpp"
#include "experiments/report/words/paragraphs.hpp"
#include "experiments/report/words/phrases.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {
namespace {

std::string load_words(const ArmReport& arm) {
  if (arm.scenario.client.users) {
    return fmt::format("With {} users in a closed loop", *arm.scenario.client.users);
  }
  if (arm.scenario.client.recorded) {
    return fmt::format(
        "Offered arrivals as recorded, {} on average, {:.3g} times the {} that {} "
        "workers can complete",
        rate_words(arm.scenario.client.rate), arm.scenario.client.rate / ceiling(arm.scenario),
        rate_words(ceiling(arm.scenario)), arm.scenario.service.workers);
  }
  const double limit = ceiling(arm.scenario);
  const double rate = last_rate(arm.scenario);
  const std::string before =
      arm.scenario.client.stages.empty()
          ? std::string()
          : fmt::format(" in the end, after up to {}", rate_words(peak_rate(arm.scenario)));
  return fmt::format("Offered {}{}, {:.3g} times the {} that {} workers can complete",
                     rate_words(rate), before, rate / limit, rate_words(limit),
                     arm.scenario.service.workers);
}

std::string collapse_words(const ArmReport& arm) {
  const Tally& t = *arm.measured;
  const Rates& r = telling(t);
  std::string text = fmt::format(
      "{}, the service completed {} and looked healthy. Its goodput was {}: {} of its completions "
      "were abandoned, finished for clients that had already left.",
      load_words(arm), rate_words(r.throughput_per_s), rate_words(r.goodput_per_s),
      share_words(r.abandoned_share.value_or(0)));
  const Count& whole = t.whole.goodput_per_s;
  if (&r == &t.settled && whole && arm.opening.succeeded && arm.opening.last_success_ms &&
      *r.goodput_per_s < 0.5 * *whole) {
    text += fmt::format(
        " That is the settled part of the run; over the whole run goodput was {}, because {} of "
        "the {} successes fell in its first {:.2f} s, while the queue was filling. A longer run "
        "would show less.",
        rate_words(whole), figure_text(FigureKind::count, arm.opening.succeeded),
        figure_text(FigureKind::count, t.counts.succeeded), *arm.opening.last_success_ms / 1000);
  }
  return text;
}

std::string shed_words(const ArmReport& arm) {
  const Rates& r = telling(*arm.measured);
  return fmt::format(
      "{}, the service refused the surplus and kept a goodput of {}: {} of its "
      "completions were abandoned.",
      load_words(arm), rate_words(r.goodput_per_s), share_words(r.abandoned_share.value_or(0)));
}

std::string strain_words(const ArmReport& arm) {
  const Rates& r = telling(*arm.measured);
  return fmt::format("{}, the service completed {}, of which {} were abandoned; goodput was {}.",
                     load_words(arm), rate_words(r.throughput_per_s),
                     share_words(r.abandoned_share.value_or(0)), rate_words(r.goodput_per_s));
}

// An overload that ended before the queue was full proves nothing about those that last.
std::string short_words(const std::vector<const ArmReport*>& fine) {
  std::vector<const ArmReport*> beyond;
  for (const ArmReport* arm : fine) {
    const bool over = last_rate(arm->scenario) > ceiling(arm->scenario);
    if (over && all_answered(*arm->measured)) beyond.push_back(arm);
  }
  const ArmReport* arm = plainest(beyond);
  if (!arm) return {};
  return fmt::format(
      "{}, the service answered everything in time: the run ended before its queue was full, and a "
      "longer one would show what comes then. ",
      load_words(*arm));
}

// The arm that differs from `arm` in nothing but more retries.
const ArmReport* with_retries(const Report& report, const ArmReport& arm) {
  for (const ArmReport& other : report.arms) {
    Scenario same = other.scenario;
    same.client.retries = arm.scenario.client.retries;
    if (other.measured && other.scenario.client.retries > arm.scenario.client.retries &&
        to_json(same) == to_json(arm.scenario)) {
      return &other;
    }
  }
  return nullptr;
}

std::string retry_words(const Report& report, const ArmReport& arm) {
  const ArmReport* other = with_retries(report, arm);
  if (!other) return {};
  const Tally& a = *arm.measured;
  const Tally& b = *other->measured;
  const double before = a.whole.goodput_per_s.value_or(0);
  const double after = b.whole.goodput_per_s.value_or(0);
  const std::string effect =
      std::abs(after - before) <= 0.02 * before
          ? fmt::format("left the whole run's goodput at {}", rate_words(after))
          : fmt::format("{} the whole run's goodput from {} to {}",
                        after > before ? "raised" : "lowered", rate_words(before),
                        rate_words(after));
  return fmt::format(
      " Up to {} multiplied the attempts by {} (amplification) and {}.",
      count_words(static_cast<std::size_t>(other->scenario.client.retries), "retry", "retries"),
      figure_text(FigureKind::factor, b.whole.amplification), effect);
}

}  // namespace

std::string what_happened(const Report& report) {
  std::string text;
  const auto collapsed = arms_with(report, Course::collapsed);
  const auto shed = arms_with(report, Course::shed);
  const auto strained = arms_with(report, Course::strained);
  const auto fine = arms_with(report, Course::fine);
  if (const ArmReport* arm = plainest(collapsed)) {
    text += collapse_words(*arm) + retry_words(report, *arm) + " ";
  }
  if (const ArmReport* arm = plainest(strained)) {
    text += strain_words(*arm) + (collapsed.empty() ? retry_words(report, *arm) : "") + " ";
  }
  if (const ArmReport* arm = plainest(shed)) text += shed_words(*arm) + " ";
  text += short_words(fine);
  std::vector<std::string> groups;
  const auto group = [&](const auto& arms, std::string_view what) {
    if (arms.empty()) return;
    const std::string who = arms.size() <= 2 ? fmt::format(" ({})", names_of(arms)) : "";
    groups.push_back(fmt::format("{} {}{}", arms.size(), what, who));
  };
  group(collapsed, "collapsed like this");
  group(strained, "did part of their work in vain");
  group(shed, "refused the surplus");
  const bool from_the_start = std::all_of(fine.begin(), fine.end(), [](const ArmReport* arm) {
    return fine_over_the_whole(*arm->measured);
  });
  group(fine, from_the_start ? "answered at least 99 % of their requests"
                             : "answered at least 99 % of their requests once settled");
  if (groups.empty()) return "No arm was measured.";
  if (report.arms.size() == 1) {
    if (!fine.empty()) {
      const Answered answered = answered_of(fine);
      text += fmt::format("{} of {} requests succeeded.", grouped(answered.succeeded),
                          grouped(answered.offered));
    }
  } else {
    text +=
        fmt::format("Of {}, {}.", count_words(report.arms.size(), "arm", "arms"), listed(groups));
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace retrystorm
