// The sentences that judge: why it happened, which knob would change it, whether to trust the run.
#include "core/error.hpp"
#include "core/number_text.hpp"
#include "experiments/report/figure.hpp"
#include "experiments/report/settled_arms.hpp"
#include "experiments/report/tables.hpp"
#include "experiments/report/words/arms.hpp"
#include "experiments/report/words/paragraphs.hpp"
#include "experiments/report/words/phrases.hpp"
#include "experiments/report/words/words.hpp"
#include "model/useful_edge.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// Of a scenario that has a useful queue.
std::string useful_queue_sum(const Scenario& s) {
  return fmt::format("({} timeout − {} round trip − {} work) × {} workers / {} work = {}",
                     duration_words(s.client.timeout), duration_words(s.network.round_trip),
                     duration_words(s.service.work), s.service.workers,
                     duration_words(s.service.work), *useful_queue(s));
}

// How gradual the edge of the useful queue is, to go on a sentence; empty where it is a step.
std::string edge(const Scenario& s) {
  std::string words = edge_words(s);
  if (words.empty()) return {};
  words.pop_back();  // the full stop
  return "; " + words;
}

Duration wait_behind(const Scenario& s, std::int64_t places) {
  return s.service.work * places / s.service.workers;
}

// "service.queue 69 instead of 100 gives 999/s (+999)".
std::string bought(const Change& change) {
  return fmt::format("{} {} instead of {} gives {} ({}{})", change.field, change.to, change.from,
                     rate_words(change.goodput_per_s), change.gain_per_s >= 0 ? "+" : "−",
                     figure_text(FigureKind::rate, std::abs(change.gain_per_s)));
}

// What the simulation says of single changes.
std::string what_it_buys(const ArmReport& arm, const Advice& advice) {
  std::vector<std::string> helpful;
  for (const Change& change : advice.changes) {
    if (helps(change, advice)) helpful.push_back(bought(change));
  }
  const std::string now =
      fmt::format("At {} the simulation predicts a settled goodput of {} as it is ({} measured)",
                  rate_words(advice.offered_per_s), rate_words(advice.goodput_per_s),
                  rate_words(telling(*arm.measured).goodput_per_s));
  // Below the ceiling a change may buy nothing but the way back after a burst.
  const std::string burst = second_state_words(advice);
  if (helpful.empty()) {
    return now + "; no single change that was tried buys a hundredth more." + burst;
  }
  return fmt::format("{}; {}.", now, listed(helpful)) + burst;
}

// The tries whose figures are to speak: of the trusted arms, or of all if there is none.
std::vector<const Try*> witnesses(const Report& report, bool trusted_only) {
  std::vector<const Try*> tries;
  for (const ArmReport& arm : report.arms) {
    const Try* t = measured_try(arm);
    if (t && (arm.trusted || !trusted_only)) tries.push_back(t);
  }
  return tries;
}

// The largest value of a figure of trust.
template <typename Figure>
Count worst(const std::vector<const Try*>& tries, Figure&& figure) {
  Count most;
  for (const Try* t : tries) {
    const Count value = figure(*t);
    if (value && (!most || *value > *most)) most = value;
  }
  return most;
}

std::string evidence(const std::vector<const Try*>& tries) {
  const Count lag = worst(tries, [](const Try& t) { return t.trust.send_lag_p99_ms; });
  const Count work = worst(tries, [](const Try& t) -> Count {
    if (!t.trust.effective_work_ms || !t.trust.work_drawn_ms) return std::nullopt;
    return std::abs(*t.trust.effective_work_ms / *t.trust.work_drawn_ms - 1);
  });
  double attempts = 0;
  double unexplained_exchanges = 0;
  for (const Try* t : tries) {
    attempts += t->tally.counts.attempts.value_or(0);
    for (const ExchangeKind& kind : exchange_kinds()) {
      const auto found = t->reconciliation.find(kind.name);
      if (!kind.explained && found != t->reconciliation.end()) {
        unexplained_exchanges += static_cast<double>(found->second);
      }
    }
  }
  std::vector<std::string> facts;
  if (lag) {
    facts.push_back(
        fmt::format("99 % of first attempts left within {} ms of their schedule (send "
                    "lag) even in the worst arm",
                    figure_text(FigureKind::milliseconds, lag)));
  }
  if (work) {
    facts.push_back(*work < 1e-4
                        ? std::string("effective work was within 0.01 % of the work drawn")
                        : fmt::format("effective work was within {:.2f} % of the work drawn",
                                      std::ceil(*work * 1e4 - 1e-6) / 100));
  }
  if (attempts > 0) {
    facts.push_back(
        unexplained_exchanges == 0
            ? fmt::format("the ledgers of client and service agree on every one of {} attempts",
                          grouped(attempts))
            : fmt::format("the ledgers of client and service leave {} of {} attempts unexplained",
                          grouped(unexplained_exchanges), grouped(attempts)));
  }
  return facts.empty() ? std::string() : listed(facts);
}

}  // namespace

std::string why_it_happened(const Report& report) {
  const ArmReport* arm = subject_of(report);
  if (!arm) return {};
  const Scenario& s = arm->scenario;
  const std::int64_t places = queue_places(s);
  if (!useful_queue(s)) {
    return fmt::format(
        "The queue has {} places and is served {}: whoever is overtaken may wait for ever, at "
        "whatever place it joined, so no number of places is a useful queue. The client leaves "
        "after {}, and what the workers do for it after that is in vain.",
        places, discipline_words(s), duration_words(s.client.timeout));
  }
  const std::int64_t useful = *useful_queue(s);
  if (places > useful) {
    return fmt::format(
        "The queue has {} places, and whoever takes the last of them waits {}; the client leaves "
        "after {}. Only the first {} places are a useful queue: {}{}. Once the queue stands longer "
        "than that, the workers are busy with requests whose clients have gone, and while the load "
        "exceeds the ceiling it never shortens.",
        places, duration_words(wait_behind(s, places)), duration_words(s.client.timeout), useful,
        useful_queue_sum(s), edge(s));
  }
  const std::string slope = edge(s);
  return fmt::format(
      "The queue has {} places, no more than the useful queue of {}: {}{}. {}; the surplus is "
      "refused at once.",
      places, useful, useful_queue_sum(s), slope,
      slope.empty() ? "Whoever is admitted can still be answered in time"
                    : "Well before it whoever is admitted is answered in time");
}

std::string which_knob(const Report& report, const std::optional<Advice>& advice) {
  const ArmReport* arm = subject_of(report);
  if (!arm) return {};
  const Scenario& s = arm->scenario;
  const std::int64_t places = queue_places(s);
  const auto useful = useful_queue(s);
  std::string text;
  if (!useful) {
    text = fmt::format("No number of places is right for a queue that is served {}. ",
                       discipline_words(s));
  } else if (places > *useful) {
    const Duration patience = s.network.round_trip + s.service.work + wait_behind(s, places);
    text = fmt::format(
        "The queue: with at most {} places, or a client that waits {}, {} can be answered in "
        "time. ",
        *useful, duration_words(patience),
        edge(s).empty() ? "whoever is admitted" : "far more of those who are admitted");
  } else {
    text =
        "The queue already fits the timeout; what is left is more workers, shorter work or less "
        "load. ";
  }
  if (advice) return text + what_it_buys(*arm, *advice);
  if (const std::string why = unsettled_words(*arm); !why.empty()) {
    return text + "What a change buys is not told of “" + arm->name + "”, " + why + ".";
  }
  return text + "What a change buys was not predicted in this run.";
}

std::string whether_to_trust(const Report& report) {
  const auto trusted = static_cast<std::size_t>(std::count_if(
      report.arms.begin(), report.arms.end(), [](const ArmReport& a) { return a.trusted; }));
  const std::size_t all = report.arms.size();
  std::string text;
  if (report.partial) {
    text += "Not every arm was measured to its end: this is what there is up to then. ";
  }
  if (trusted == all) {
    text += trusted == 1 ? "Yes. " : fmt::format("Yes, all {} arms. ", trusted);
  } else if (trusted == 0) {
    text += all == 1 ? "No. " : fmt::format("No, none of the {} arms. ", all);
  } else {
    text += fmt::format("{} of {}. ", trusted, count_words(all, "arm", "arms"));
  }
  if (const std::string facts = evidence(witnesses(report, trusted > 0)); !facts.empty()) {
    text += fmt::format("{} {}. ",
                        trusted == all ? "In what was measured"
                        : trusted == 0 ? "Of what was measured all the same:"
                                       : "In the trusted ones",
                        facts);
  }
  if (trusted != all) {
    text += "What is not trusted is shown and marked, and proves nothing; the reasons stand below.";
  }
  while (text.ends_with(' ')) text.pop_back();
  for (const std::string& notice : report.notices) text += " Notice: " + notice + ".";
  return text;
}

std::string_view trust_label(const Report& report) {
  const auto trusted = std::count_if(report.arms.begin(), report.arms.end(),
                                     [](const ArmReport& a) { return a.trusted; });
  if (report.partial) return "partial run";
  if (trusted == static_cast<std::ptrdiff_t>(report.arms.size())) return "trusted";
  return trusted == 0 ? "not trusted" : "partly trusted";
}

std::string trust_rule(const Report& report) {
  TrustLimits limits;
  for (const ArmReport& arm : report.arms) {
    if (!arm.tries.empty()) limits = arm.tries.front().limits;
  }
  return fmt::format(
      "A measured arm is trusted if it can vouch for itself: send lag at most {} ms for 99 % of "
      "first attempts and {} ms for all, no request unsent and no retry denied for a shortage of "
      "the "
      "generator's, the service at most {} ms late in reading or finishing any, effective work "
      "within {:.3g} % of the work drawn, "
      "arrivals "
      "within {:.3g} % of their rate and paced as asked for (variation of the gaps under {}), no "
      "process above {:.0f} % of a core per thread, and nothing unexplained between the two "
      "ledgers. What is not known is within no limit.",
      limits.send_lag_p99_ms, limits.send_lag_max_ms, limits.service_lateness_max_ms,
      100 * limits.work_error, 100 * limits.rate_error, limits.arrival_gap_cv,
      100 * limits.cpu_share);
}

std::string third_witness(const Report& report) {
  std::size_t agree = 0;
  std::vector<std::string> differ;
  for (const ArmReport& arm : report.arms) {
    const Try* t = measured_try(arm);
    if (!t || !t->scraped) continue;
    if (t->scraped->problem.empty() && disagreements(*t->scraped, t->tally).empty()) {
      ++agree;
    } else {
      differ.push_back("“" + arm.name + "”");
    }
  }
  if (agree == 0 && differ.empty()) return {};
  std::string text = fmt::format(
      "Prometheus, the third witness, counted the same as the ledgers to the last request in {}",
      count_words(agree, "arm", "arms"));
  if (!differ.empty()) text += fmt::format(", and not in {}", listed(differ));
  return text + ".";
}

}  // namespace retrystorm
