#include "experiments/evidence/series.hpp"

#include <algorithm>
#include <string>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t most_bins = 1200;
constexpr std::int64_t age_bins_to_timeout = 25;
constexpr std::int64_t most_age_bins = 2 * age_bins_to_timeout + 1;

// The bins of a run of `length`: all that happened falls into one of them.
class Clock {
 public:
  Clock(Duration length, Duration bin)
      : bin_(bin.count()), bins_(std::max<std::int64_t>(1, (length.count() + bin_ - 1) / bin_)) {}

  std::size_t bins() const { return static_cast<std::size_t>(bins_); }

  void count(Bins& into, std::int64_t at) const {
    into[static_cast<std::size_t>(std::clamp<std::int64_t>(at / bin_, 0, bins_ - 1))] += 1;
  }

  // Adds the seconds of [from, to) to the bins they fall into.
  void spread(Bins& into, std::int64_t from, std::int64_t to) const {
    from = std::max<std::int64_t>(from, 0);
    to = std::min(to, bin_ * bins_);
    while (from < to) {
      const std::int64_t bin = from / bin_;
      const std::int64_t until = std::min(to, (bin + 1) * bin_);
      into[static_cast<std::size_t>(bin)] += static_cast<double>(until - from) * 1e-9;
      from = until;
    }
  }

 private:
  std::int64_t bin_;
  std::int64_t bins_;
};

// When the last thing that the ledger knows of happened.
Duration last_instant(Database& database, const TryKey& key) {
  Statement row(database,
                "SELECT max(coalesce((SELECT max(max(scheduled, coalesce(finished, 0))) FROM "
                "request_ends WHERE arm = ?1 AND try_number = ?2), 0), "
                "coalesce((SELECT max(max(sent, coalesce(ended, 0))) FROM attempts "
                "WHERE arm = ?1 AND try_number = ?2), 0), "
                "coalesce((SELECT max(max(arrived, coalesce(finished, 0))) FROM arrivals "
                "WHERE arm = ?1 AND try_number = ?2), 0))");
  row.bind(key.arm, key.try_number).step();
  return Duration(row.only_column().integer());
}

void add_requests(Series& series, const Clock& clock, Database& database, const TryKey& key) {
  Statement rows(database,
                 "SELECT scheduled, iif(outcome = 'succeeded', finished, NULL) AS succeeded "
                 "FROM request_ends WHERE arm = ? AND try_number = ?");
  rows.bind(key.arm, key.try_number);
  const Column scheduled = rows["scheduled"];
  const Column succeeded = rows["succeeded"];
  while (rows.step()) {
    clock.count(series.offered, scheduled.integer());
    if (const auto at = succeeded.optional_integer()) clock.count(series.succeeded, *at);
  }
}

void add_attempts(Series& series, const Clock& clock, Database& database, const TryKey& key) {
  Statement rows(database,
                 "SELECT sent, ended, outcome FROM attempts WHERE arm = ? AND try_number = ?");
  rows.bind(key.arm, key.try_number);
  const Column sent = rows["sent"];
  const Column ended = rows["ended"];
  const Column outcome = rows["outcome"];
  while (rows.step()) {
    clock.count(series.attempts, sent.integer());
    const auto& names = attempt_outcome_names;
    const auto which = std::find(names.begin(), names.end(), outcome.text()) - names.begin();
    if (ended.is_null() || which == static_cast<std::ptrdiff_t>(names.size())) continue;
    clock.count(series.ended[static_cast<std::size_t>(which)], ended.integer());
  }
}

// What is older than two timeouts stands in the last bin.
void count_age(Bins& bins, std::int64_t age, Duration bin) {
  const std::int64_t at = std::clamp<std::int64_t>(age / bin.count(), 0, most_age_bins - 1);
  if (bins.size() <= static_cast<std::size_t>(at)) bins.resize(static_cast<std::size_t>(at) + 1);
  bins[static_cast<std::size_t>(at)] += 1;
}

// The service's side, joined with the client's view of each exchange (null for a stranger's).
constexpr std::string_view joined_arrivals_sql = R"(
  SELECT a.arrived, a.picked, a.finished, a.disposition, t.outcome, t.sent,
    coalesce(a.picked, a.finished, a.replied) AS waited_until, a.replied
  FROM arrivals a LEFT JOIN attempts t
    ON t.arm = a.arm AND t.try_number = a.try_number
      AND t.request = a.request AND t.attempt = a.attempt
  WHERE a.arm = ? AND a.try_number = ?)";

void add_arrivals(Series& series, const Clock& clock, Database& database, const TryKey& key) {
  Statement rows(database, joined_arrivals_sql);
  rows.bind(key.arm, key.try_number);
  const std::int64_t end = static_cast<std::int64_t>(clock.bins()) * series.bin.count();
  const Column arrived = rows["arrived"], picked = rows["picked"], finished = rows["finished"];
  const Column waited_until = rows["waited_until"], replied = rows["replied"], sent = rows["sent"];
  const Column disposition_of = rows["disposition"], outcome_of = rows["outcome"];
  while (rows.step()) {
    const std::string disposition = disposition_of.text();
    const std::string outcome = outcome_of.text();
    const bool completed = disposition == name(Disposition::completed);
    const bool refused = disposition == name(Disposition::refused);
    // Whoever is not served in the end waits to the end of the ledger.
    if (!refused) {
      clock.spread(series.queue, arrived.integer(), waited_until.optional_integer().value_or(end));
    }
    if (!picked.is_null()) {
      Bins& spent = refused                                                   ? series.refusals
                    : outcome == name(AttemptOutcome::succeeded)              ? series.useful
                    : completed && outcome == name(AttemptOutcome::timed_out) ? series.abandoned
                                                                              : series.other;
      clock.spread(spent, picked.integer(), finished.optional_integer().value_or(end));
    }
    if (!completed || finished.is_null()) continue;
    clock.count(series.completed, finished.integer());
    if (sent.is_null()) continue;
    const std::int64_t age =
        replied.optional_integer().value_or(finished.integer()) - sent.integer();
    if (outcome == name(AttemptOutcome::succeeded)) {
      count_age(series.age_taken, age, series.age_bin);
    } else if (outcome == name(AttemptOutcome::timed_out)) {
      count_age(series.age_abandoned, age, series.age_bin);
    }
  }
  for (double& waiting : series.queue) waiting /= seconds(series.bin);
}

}  // namespace

Duration bin_width(Duration length, Duration work) {
  // Equal workers that start together finish together, once in a work time: a bin that is no
  // multiple of it would show a beat that is not there.
  constexpr Duration widest = 100ms;
  const Duration unit = work > Duration::zero() && work <= widest ? work : widest;
  const Duration width = unit * (widest / unit);
  return width * std::max<std::int64_t>(
                     1, (length + width * most_bins - Duration(1)) / (width * most_bins));
}

Series series_from_ledger(Database& database, const TryKey& key, const Scenario& scenario) {
  Series series;
  const Duration length = last_instant(database, key);
  if (length <= Duration::zero()) return series;
  series.bin = bin_width(length, scenario.service.work);
  series.age_bin = std::max<Duration>(1us, scenario.client.timeout / age_bins_to_timeout);
  const Clock clock(length, series.bin);
  for (Bins* bins :
       {&series.offered, &series.attempts, &series.succeeded, &series.completed, &series.queue,
        &series.useful, &series.abandoned, &series.refusals, &series.other}) {
    bins->assign(clock.bins(), 0);
  }
  for (Bins& bins : series.ended) bins.assign(clock.bins(), 0);
  add_requests(series, clock, database, key);
  add_attempts(series, clock, database, key);
  add_arrivals(series, clock, database, key);
  const std::size_t ages = std::max(series.age_taken.size(), series.age_abandoned.size());
  series.age_taken.resize(ages);
  series.age_abandoned.resize(ages);
  return series;
}

}  // namespace retrystorm
