#include "model/advice.hpp"

#include "core/classes.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/policy/disciplines.hpp"
#include "core/share.hpp"
#include "model/honours.hpp"
#include "model/useful_edge.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {
namespace {

double settled_goodput(const Tally& tally) {
  if (!tally.settled.goodput_per_s) {
    throw InvalidInput(fmt::format("engine {}", tally.engine), "", "predicts no settled goodput");
  }
  return *tally.settled.goodput_per_s;
}

// The changes worth a try; `to` is set in a copy of the scenario.
std::vector<Change> candidates(const Scenario& s, const Advice& a) {
  std::vector<Change> list;
  const auto add = [&](std::string field, const FieldValue& to, std::string why) {
    const std::string from = to_text(find_field(field)->get(s));
    if (from != to_text(to)) {
      list.push_back({std::move(field), from, to_text(to), std::move(why), {}, 0});
    }
  };
  const auto& service = s.service;
  // Nine tenths of the timeout, so that a millisecond of lateness does not undo it.
  const std::int64_t safe =
      useful_queue(s.client.timeout * 9 / 10, s.network.round_trip, service.work, service.workers);
  if (a.useful_queue) {
    add("service.queue", a.beyond > 0 ? safe : *a.useful_queue,
        a.beyond > 0 ? "what nine tenths of the timeout make useful" : "all that is useful");
  } else {
    add("service.discipline", std::string(Fifo::name), "oldest first");
  }
  if (a.beyond > 0) {
    // The timeout that makes the configured queue useful, a tenth of it to spare.
    const double wait =
        static_cast<double>(a.queue) * seconds(service.work) / static_cast<double>(service.workers);
    const double timeout = (wait + seconds(service.work) + seconds(s.network.round_trip)) / 0.9;
    const auto rounded =
        Duration(std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(timeout * 1e3))));
    add("client.timeout", format_duration(rounded), "what the configured queue takes, and a tenth");
  }
  // Enough workers for nine tenths of load, or to empty the configured queue in time.
  const double for_load = std::ceil(a.offered_per_s * seconds(service.work) / 0.9);
  const double spare =
      0.9 * seconds(s.client.timeout) - seconds(service.work) - seconds(s.network.round_trip);
  const double for_queue =
      a.beyond > 0 && spare > 0
          ? std::ceil(static_cast<double>(a.queue) * seconds(service.work) / spare)
          : 0;
  const double workers = std::min(1e6, std::max(for_load, for_queue));
  if (workers > static_cast<double>(service.workers)) {
    add("service.workers", static_cast<std::int64_t>(workers),
        for_load >= for_queue ? "nine tenths busy at this load"
                              : "the configured queue emptied in time");
  }
  if (s.client.retries > 0) {
    add("client.retries", std::int64_t{0}, "none");
  } else {
    add("client.retries", std::int64_t{1}, "one");
  }
  return list;
}

void try_change(Change& change, const Scenario& scenario, const Advice& a, const Predict& predict,
                Meter* meter) {
  Scenario changed = scenario;
  const Field* field = find_field(change.field);
  const double now = a.goodput_per_s;
  try {
    set_field(changed, *field, value_from_text(*field, change.to), "advice", change.field);
    validate(changed, "advice");
    if (a.second_state && unmodelled(Engine::stationary, changed).empty()) {
      change.removes_second_state = !second_state(changed, meter);
    }
    change.goodput_per_s = settled_goodput(predict(changed));
    change.gain_per_s = *change.goodput_per_s - now;
  } catch (const InvalidInput&) {
    // Out of the field's range, or past what this engine models: no figure for it.
  }
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, "; "));
}

// How far the configured queue is useful, of a discipline that has such a number.
std::string queue_sentences(const Scenario& s, const Advice& a) {
  std::string text = fmt::format(
      "A queue of {} is useful here: {} of timeout less {} of round trip and {} of work leave {} "
      "for "
      "waiting, and {} workers of {} take {} from the queue a second. ",
      *a.useful_queue, format_duration(s.client.timeout), format_duration(s.network.round_trip),
      format_duration(s.service.work),
      format_duration(
          std::max(Duration::zero(), s.client.timeout - s.network.round_trip - s.service.work)),
      s.service.workers, format_duration(s.service.work), plain_rate_text(a.ceiling_per_s));
  const std::string edge = edge_words(s);
  if (a.beyond > 0) {
    text += fmt::format("The configured {} are {} beyond it: ", a.queue, a.beyond);
    text += edge.empty() ? "whoever is served from those places is served in vain, its client has "
                           "left. "
                         : edge + " ";
  } else {
    text += fmt::format("The configured {} stay within it{} ", a.queue,
                        edge.empty() ? "." : ": " + edge);
  }
  return text;
}

// What the fixed points say of a state beside the good one, or that they do not know.
std::string second_state_sentences(const Scenario& s, const Advice& a) {
  if (s.client.retries == 0) return {};
  const auto strange = unmodelled(Engine::stationary, s);
  if (strange.empty()) return second_state_words(a);
  return fmt::format(
      " Whether a burst can leave the service in another settled state is not known: the fixed "
      "points do "
      "not model {} = {}.",
      strange.front().field, strange.front().value);
}

std::string paragraph(const Scenario& s, const Advice& a, std::string_view engine) {
  std::string text;
  if (!a.useful_queue) {
    text = fmt::format(
        "The queue of {} is served {}: whoever is overtaken may wait for ever, so no number of "
        "places is useful by itself. ",
        a.queue, discipline_words(s));
  } else {
    text = queue_sentences(s, a);
  }
  text += fmt::format(
      "At {}/s offered, {:.0f} % of the ceiling, {} predicts a settled goodput of "
      "{}/s. ",
      plain_rate_text(a.offered_per_s), 100 * a.offered_per_s / a.ceiling_per_s, engine,
      plain_rate_text(a.goodput_per_s));
  std::vector<std::string> helpful;
  std::vector<std::string> useless;
  for (const Change& c : a.changes) {
    (helps(c, a) ? helpful : useless).push_back(change_words(c));
  }
  if (helpful.empty()) {
    text += a.second_state ? "While nothing disturbs it, no" : "No";
    text += " single change tried buys more than a hundredth of the load";
    text += useless.empty() ? "." : fmt::format(" ({}).", joined(useless));
  } else {
    text += fmt::format("Single changes that help: {}.", joined(helpful));
    if (!useless.empty()) text += fmt::format(" That do not: {}.", joined(useless));
  }
  return text + second_state_sentences(s, a);
}

}  // namespace

std::string change_words(const Change& c) {
  if (!c.goodput_per_s) return fmt::format("{} {} ({}): no prediction", c.field, c.to, c.why);
  return fmt::format("{} {} instead of {} ({}): {}/s, {}{}", c.field, c.to, c.from, c.why,
                     plain_rate_text(*c.goodput_per_s), c.gain_per_s >= 0 ? "+" : "",
                     plain_rate_text(c.gain_per_s));
}

const Change* best_change(const Advice& advice) {
  for (const Change& change : advice.changes) {
    if (helps(change, advice)) return &change;
  }
  for (const Change& change : advice.changes) {
    if (change.removes_second_state.value_or(false) && change.gain_per_s >= 0) return &change;
  }
  return nullptr;
}

std::string second_state_words(const Advice& a) {
  if (!a.second_state) return {};
  std::vector<std::string> remedies;
  std::vector<std::string> useless;
  for (const Change& c : a.changes) {
    if (!c.removes_second_state) continue;
    (*c.removes_second_state ? remedies : useless).push_back(fmt::format("{} {}", c.field, c.to));
  }
  std::string text = fmt::format(
      " A burst or a stall can leave the service in another settled state, {} attempts/s for {}/s "
      "of "
      "goodput, which its retries can sustain from {}/s offered on, after the burst has passed. ",
      plain_rate_text(a.second_state->attempts_per_s),
      plain_rate_text(a.second_state->goodput_per_s), plain_rate_text(a.second_state->from_per_s));
  text += remedies.empty()
              ? "No single change tried removes that state."
              : fmt::format("Single changes that remove that state: {}.", joined(remedies));
  if (!useless.empty()) text += fmt::format(" That leave it: {}.", joined(useless));
  return text;
}

bool helps(const Change& change, const Advice& advice) {
  return change.goodput_per_s && rate_exceeds(change.gain_per_s, advice.offered_per_s, 10'000);
}

Advice advise(const Scenario& scenario, std::string_view engine, const Predict& predict,
              Meter* meter) {
  refuse_classes(scenario, "advice");
  Advice a;
  a.useful_queue = useful_queue(scenario);
  a.queue = queue_places(scenario);
  if (a.useful_queue) a.beyond = std::max<std::int64_t>(0, a.queue - *a.useful_queue);
  a.offered_per_s = last_rate(scenario);
  a.ceiling_per_s = ceiling(scenario);
  a.goodput_per_s = settled_goodput(predict(scenario));
  a.changes = candidates(scenario, a);
  if (unmodelled(Engine::stationary, scenario).empty()) {
    a.second_state = second_state(scenario, meter);
  }
  for (Change& change : a.changes) try_change(change, scenario, a, predict, meter);
  std::stable_sort(a.changes.begin(), a.changes.end(), [](const Change& x, const Change& y) {
    return x.goodput_per_s.value_or(-1) > y.goodput_per_s.value_or(-1);
  });
  a.text = paragraph(scenario, a, engine);
  return a;
}

Cost advice_cost(const Scenario& scenario, Engine engine, const PredictOptions& options) {
  constexpr double predictions = 6;  // the scenario as it is, and the candidates
  Cost cost = predictions * cost_of(engine, scenario, options);
  if (unmodelled(Engine::stationary, scenario).empty()) {
    cost = cost + predictions * second_state_cost(scenario);
  }
  return cost;
}

Advice advise(const Scenario& scenario, Engine engine, const PredictOptions& options) {
  refuse_classes(scenario, "advice");
  require_affordable("advice", advice_cost(scenario, engine, options), options.effort);
  Meter meter("advice", options.effort);
  return advise(scenario, engine_names[static_cast<std::size_t>(engine)],
                predict_with(engine, options), &meter);
}

}  // namespace retrystorm
