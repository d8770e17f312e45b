#include "model/markov/mean_field.hpp"

#include "core/error.hpp"
#include "model/capacity/poisson.hpp"
#include "model/capacity/sojourn.hpp"
#include "model/capacity/sojourn_law.hpp"
#include "model/latencies.hpp"
#include "model/markov/transient.hpp"
#include "model/returning.hpp"
#include "model/sizes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// What is added up, for the whole run and for the settled window.
enum Sum : std::size_t {
  offered,
  attempts,
  refused,
  succeeded,
  late,
  gave_up,
  seen,
  admitted,
  settled_offered,
  settled_attempts,
  settled_succeeded,
  settled_completed,
  settled_late,
  sums
};

// Steps in the time an attempt may take, and cells of when it ends.
constexpr std::size_t lags = 32;

class Run {
 public:
  Run(const Scenario& s, Meter* meter);
  Tally tally();

 private:
  void first_request();
  void step(double length);
  void admit(double mass, const std::vector<double>& found_share, double begins, double length);
  void refuse(std::size_t k, double mass, double now);
  void come_back(std::size_t k, double mass, double delay);
  void run_without_retries();
  void run_with_retries();
  void skip_ahead(const std::array<double, sums>& sum_before,
                  const std::vector<double>& found_before, const std::vector<double>& law_before);
  double next_edge() const;
  // The share of [begins, begins + length) that lies in the settled window.
  double in_window(double begins, double length) const {
    if (length <= 0) return begins >= settle_ && begins < duration_ ? 1 : 0;
    const double part = std::min(begins + length, duration_) - std::max(begins, settle_);
    return std::clamp(part / length, 0.0, 1.0);
  }
  double empties_in() const;
  void add_latencies(Tally& t) const;

  Meter* meter_;
  double rate_, service_rate_, timeout_, round_trip_, patience_, backoff_, duration_, settle_;
  double span_;  // the sojourns that end in time are no longer than this
  double wait_;  // nor is any attempt under way for longer than this
  std::int64_t workers_, room_;
  std::size_t classes_;
  bool retry_rejected_, retry_timed_out_, at_once_, starts_with_request_;

  QueueInTime queue_;
  std::vector<std::vector<double>> late_at_;  // [j][n]: sojourn beyond (j + 1)/lags of the span
  std::vector<double> gone_;                  // [n]: beyond the timeout: the close gets there first
  double h_;                                  // length of a step
  double now_ = 0;
  std::int64_t cell_ = 0;
  Returning returning_;
  std::vector<double> found_;  // mass of attempts by what they found

  std::array<double, sums> sum_{};
  double last_sent_ = 0;
  double empties_in_ = 0;   // seconds, from then
  double last_total_ = 0;   // attempts of the step before
  std::size_t steady_ = 0;  // steps that changed nothing
};

Run::Run(const Scenario& s, Meter* meter)
    : meter_(meter),
      rate_(s.client.rate),
      service_rate_(1 / seconds(s.service.work)),
      timeout_(seconds(s.client.timeout)),
      round_trip_(seconds(s.network.round_trip)),
      patience_(std::max(0.0, timeout_ - round_trip_)),
      backoff_(seconds(s.client.backoff)),
      duration_(seconds(s.client.duration)),
      settle_(seconds(since_start(settled_from(s)))),
      span_(std::min(patience_, longest_sojourn_s(s))),
      wait_(std::min(timeout_, round_trip_ + longest_sojourn_s(s))),
      workers_(s.service.workers),
      room_(s.service.workers + queue_places(s)),
      classes_(static_cast<std::size_t>(s.client.retries) + 1),
      retry_rejected_(s.client.retry_on.contains(AttemptOutcome::rejected)),
      retry_timed_out_(s.client.retry_on.contains(AttemptOutcome::timed_out)),
      at_once_(s.client.backoff == Duration::zero()),
      starts_with_request_(s.simulation.first_arrival == FirstArrival::zero),
      queue_(service_rate_, workers_, room_, 0),
      h_(wait_ / static_cast<double>(lags)),
      returning_((wait_ + round_trip_ + backoff_) / h_, classes_) {
  const double events =
      (rate_ * static_cast<double>(classes_) + static_cast<double>(workers_) * service_rate_) *
      (classes_ > 1 ? std::min(duration_, 1e5 * h_) : duration_);
  const double steps = classes_ > 1 ? std::min(duration_ / h_, 1e5) : 1;
  const double work = (events + 100 * steps) * static_cast<double>(room_ + 1);
  if (meter_ == nullptr && work > 1e11) {
    throw InvalidInput("engine markov", "service.workers",
                       fmt::format("{:.2g} events in {} states would take minutes; use stationary "
                                   "or simulate",
                                   events, room_ + 1));
  }
  for (std::size_t j = 1; j <= lags; ++j) {
    late_at_.push_back(capacity::late_probabilities(
        service_rate_, workers_, room_,
        j == lags ? patience_ : span_ * static_cast<double>(j) / static_cast<double>(lags)));
  }
  if (round_trip_ > timeout_) late_at_.back().assign(late_at_.back().size(), 1.0);
  gone_ = capacity::late_probabilities(service_rate_, workers_, room_, timeout_);
  found_.assign(static_cast<std::size_t>(room_) + 1, 0.0);
}

void Run::come_back(std::size_t k, double mass, double delay) {
  returning_.add(cell_, std::max(1.0, delay / h_), k, mass);
}

void Run::refuse(std::size_t k, double mass, double now) {
  const bool hopeless = round_trip_ > timeout_;
  const bool again = k + 1 < classes_ && (hopeless ? retry_timed_out_ : retry_rejected_);
  const bool burnt = again && at_once_ && !hopeless;  // the others meet the same full queue
  const double tries = burnt ? static_cast<double>(classes_ - k) : 1;
  sum_[attempts] += mass * (tries - 1);
  sum_[settled_attempts] += mass * (tries - 1) * in_window(now, h_);
  sum_[refused] += mass * tries;
  if (again && !burnt) {
    come_back(k + 1, mass, std::min(round_trip_, timeout_) + backoff_);
  } else {
    sum_[gave_up] += mass;
  }
}

// `mass` attempts sent evenly over [begins, begins + length) find n with these shares.
void Run::admit(double mass, const std::vector<double>& found_share, double begins, double length) {
  spend(meter_, price::band_product * static_cast<double>((lags + 3) * found_share.size()));
  double before = 0;  // in time by the last lag
  const double lag = span_ / static_cast<double>(lags);
  double let_in = 0;
  for (std::size_t n = 0; n + 1 < found_share.size(); ++n) let_in += found_share[n];
  for (std::size_t j = 0; j < lags; ++j) {
    double beyond = 0;
    for (std::size_t n = 0; n + 1 < found_share.size(); ++n) {
      beyond += found_share[n] * late_at_[j][n];
    }
    const double in_time = let_in - beyond;
    // Replied to between two lags after sending; together with the sending, evenly over their sum.
    const double replied = begins + round_trip_ + lag * static_cast<double>(j);
    sum_[settled_succeeded] += mass * (in_time - before) * in_window(replied, length + lag);
    before = in_time;
  }
  double gone = 0;
  for (std::size_t n = 0; n + 1 < found_share.size(); ++n) gone += found_share[n] * gone_[n];
  sum_[admitted] += mass * let_in;
  sum_[succeeded] += mass * before;
  sum_[late] += mass * (let_in - before);
  sum_[seen] += mass * std::min(gone, let_in - before);
  for (std::size_t n = 0; n < found_share.size(); ++n) found_[n] += mass * found_share[n];
}

// Even arrivals aside, a Poisson schedule that begins at zero begins with a request there.
void Run::first_request() {
  std::vector<double> empty(static_cast<std::size_t>(room_) + 1, 0.0);
  empty[0] = 1;
  sum_[offered] += 1;
  sum_[attempts] += 1;
  sum_[settled_offered] += in_window(0, 0);
  sum_[settled_attempts] += in_window(0, 0);
  const double late_before = sum_[late];
  admit(1, empty, 0, 0);
  queue_.arrive();
  const double missed = sum_[late] - late_before;
  if (retry_timed_out_ && classes_ > 1) {
    come_back(1, missed, wait_ + backoff_);
  } else {
    sum_[gave_up] += missed;
  }
}

// Lets `length` pass, with new requests and what comes back.
void Run::step(double length) {
  std::vector<double> coming = returning_.take(cell_);
  const double fresh = std::clamp(duration_ - now_, 0.0, length) * rate_;
  coming[0] = fresh;
  sum_[offered] += fresh;
  sum_[settled_offered] += fresh * in_window(now_, length);
  double total = 0;
  for (const double mass : coming) total += mass;

  const std::vector<double> before = queue_.integral();
  const double completed_before = queue_.completions();
  queue_.advance(length, total / length, meter_);
  sum_[settled_completed] +=
      (queue_.completions() - completed_before) * in_window(now_ + round_trip_ / 2, length);
  if (total > 0) {
    std::vector<double> share(before.size());
    for (std::size_t n = 0; n < share.size(); ++n) {
      share[n] = (queue_.integral()[n] - before[n]) / length;
    }
    sum_[attempts] += total;
    sum_[settled_attempts] += total * in_window(now_, length);
    const double admitted_before = sum_[admitted];
    const double late_before = sum_[late];
    admit(total, share, now_, length);
    const double missed = sum_[late] - late_before;
    const double turned_away = std::max(0.0, total - (sum_[admitted] - admitted_before));
    // Late completions by when they end: about as long after as the queue is now.
    const double wait = std::max(
        timeout_, queue_.mean_in_system() / (static_cast<double>(workers_) * service_rate_));
    sum_[settled_late] += missed * in_window(now_ + wait, length);
    for (std::size_t k = 0; k < classes_; ++k) {
      if (coming[k] == 0) continue;
      const double part = coming[k] / total;
      if (retry_timed_out_ && k + 1 < classes_) {
        come_back(k + 1, missed * part, wait_ + backoff_);
      } else {
        sum_[gave_up] += missed * part;
      }
      refuse(k, turned_away * part, now_);
    }
  }
  now_ += length;
  ++cell_;
}

// The next instant at which a window opens or closes for sends or completions.
double Run::next_edge() const {
  double edge = duration_;
  for (const double e : {settle_, settle_ - round_trip_ / 2, duration_ - round_trip_ / 2}) {
    if (e > now_ + 1e-12 && e < edge) edge = e;
  }
  return edge;
}

// Long steps, but short ones before a window's edge, which cuts through the replies under way.
void Run::run_without_retries() {
  while (now_ < duration_ - 1e-12) {
    const double edge = next_edge();
    const double calm = edge - wait_ - h_;
    step(calm > now_ + h_ ? calm - now_ : std::min(h_, edge - now_));
  }
  empties_in_ = empties_in();
}

void Run::run_with_retries() {
  while (now_ < duration_ - 1e-12 || returning_.mass() > 1e-9) {
    const auto sum_before = sum_;
    const auto found_before = found_;
    const auto law_before = queue_.law();
    step(h_);
    if (returning_.mass() > 0.5 ||
        now_ <= duration_) {  // more likely than not, another attempt comes
      last_sent_ = now_;
      empties_in_ = empties_in();
    }
    skip_ahead(sum_before, found_before, law_before);
  }
}

// Once nothing changes from step to step, steps are added up instead of taken.
void Run::skip_ahead(const std::array<double, sums>& sum_before,
                     const std::vector<double>& found_before,
                     const std::vector<double>& law_before) {
  double change = 0;
  for (std::size_t n = 0; n < law_before.size(); ++n) {
    change += std::abs(queue_.law()[n] - law_before[n]);
  }
  const double total = sum_[attempts] - sum_before[attempts];
  const bool same = change < 1e-12 && std::abs(total - last_total_) < 1e-12 * total;
  last_total_ = total;
  steady_ = same ? steady_ + 1 : 0;
  // Not across what is under way at an edge.
  const double calm = next_edge() - now_ - 2 * wait_;
  const double inside = now_ >= settle_ ? now_ - settle_ - 2 * wait_ : 1;
  const double skipped = std::floor(calm / h_);
  if (steady_ <= returning_.steps() || skipped < 1 || inside < 0) return;
  for (std::size_t i = 0; i < sums; ++i) sum_[i] += skipped * (sum_[i] - sum_before[i]);
  for (std::size_t n = 0; n < found_.size(); ++n) {
    found_[n] += skipped * (found_[n] - found_before[n]);
  }
  now_ += skipped * h_;
}

// Expected seconds until the last job is done.
double Run::empties_in() const {
  double time = 0;
  double mean = 0;
  for (std::size_t n = 1; n < queue_.law().size(); ++n) {
    const auto busy = static_cast<double>(std::min(static_cast<std::int64_t>(n), workers_));
    time += 1 / (busy * service_rate_);
    mean += queue_.law()[n] * time;
  }
  return mean;
}

// Exact without retries; with them only where hardly any is sent.
void Run::add_latencies(Tally& t) const {
  if (sum_[attempts] - sum_[offered] > 1e-5 * sum_[offered]) return;
  const std::vector<double> admitted_by_found(found_.begin(), found_.end() - 1);
  const capacity::SojournLaw law(service_rate_, workers_, admitted_by_found);
  const Sojourns sojourns = sojourns_of(law, law.total());
  const Patience patience{timeout_, round_trip_};
  t.request = t.attempt = success_latencies(sojourns, patience);
  t.all = outcome_latencies(sojourns, sum_[refused], patience);
}

Tally Run::tally() {
  if (starts_with_request_) first_request();
  if (classes_ == 1) {
    run_without_retries();
  } else {
    run_with_retries();
  }
  Tally t;
  t.engine = "markov";
  Counts& c = t.counts;
  const bool refusals_in_time = round_trip_ <= timeout_;
  c.offered = sum_[offered];
  c.attempts = c.arrived = sum_[attempts];
  c.succeeded = c.taken = sum_[succeeded];
  c.gave_up = sum_[offered] - sum_[succeeded];
  c.refused = sum_[refused];
  c.rejected = refusals_in_time ? sum_[refused] : 0;
  c.timed_out = sum_[attempts] - sum_[succeeded] - *c.rejected;
  c.completed = sum_[attempts] - sum_[refused];
  c.abandoned = *c.completed - sum_[succeeded];
  c.abandoned_seen = sum_[seen];
  c.seen_later = std::max(0.0, *c.abandoned - sum_[seen]);  // not -0 for rounding's sake
  c.unsent = c.failed_status = c.connect_error = c.io_error = c.skipped = 0;
  c.late_read = c.undelivered = c.cut = 0;
  c.unfinished_attempts = c.unfinished_requests = c.unfinished_arrivals = 0;
  t.whole = make_rates(std::max(duration_, last_sent_) + empties_in_ + round_trip_, sum_[offered],
                       sum_[succeeded], *c.completed, sum_[attempts], c.abandoned);
  t.settled = make_rates(duration_ - settle_, sum_[settled_offered], sum_[settled_succeeded],
                         sum_[settled_completed], sum_[settled_attempts],
                         std::min(sum_[settled_late], sum_[settled_completed]));
  add_latencies(t);
  return t;
}

}  // namespace

Tally mean_field(const Scenario& scenario, Meter* meter) {
  return Run(scenario, meter).tally();
}

// Steps of a thirty-second of the longest wait with retries, else a stretch for the whole; each
// goes through so many events in every state, as many as its law needs for its last digits. Once
// the law stands still nothing more is taken: a queue has relaxed after some three times the
// square of its room in events, with retries after some rounds of them.
Cost mean_field_cost(const Scenario& s) {
  const auto room = static_cast<double>(s.service.workers + queue_places(s));
  const auto attempts = static_cast<double>(s.client.retries + 1);
  const double events_per_s = s.client.rate * attempts + ceiling(s);
  const double wait =
      std::min(seconds(s.client.timeout), seconds(s.network.round_trip) + longest_sojourn_s(s));
  const double back = wait + seconds(s.network.round_trip) + seconds(s.client.backoff);
  const double whole = seconds(s.client.duration) + (s.client.retries > 0 ? attempts * back : 0);
  const double relaxed = 3 * room * room / events_per_s + 30 * seconds(s.service.work) +
                         (s.client.retries > 0 ? 20 * attempts * back : 0);
  const double followed = std::min(whole, 3 * relaxed);
  const double step = s.client.retries > 0 ? wait / static_cast<double>(lags) : followed;
  const double blocks_a_step = std::ceil(events_per_s * step / 400);
  const double mean = events_per_s * step / blocks_a_step;
  const double events = blocks_a_step * static_cast<double>(capacity::poisson_reach(mean, 1e-300));
  // Before the edges of its windows a run without retries takes short steps as well.
  const double steps = s.client.retries > 0 ? followed / step : 1;
  const double short_steps = s.client.retries > 0 ? 0 : 4.0 * static_cast<double>(lags);
  const double short_events =
      static_cast<double>(capacity::poisson_reach(events_per_s * wait / 32, 1e-300));
  const double each = price::law_state * events + price::band_product * 35;
  const double each_short = price::law_state * short_events + price::band_product * 35;
  const double states = steps * each + short_steps * each_short;
  const double late = (lags + 1) * price::listed_state;
  return {room * (states + late) * 1e-9,
          8 * room * (lags + 30) + 8 * attempts * back / (wait / static_cast<double>(lags))};
}

}  // namespace retrystorm
