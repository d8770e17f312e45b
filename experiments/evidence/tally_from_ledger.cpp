#include "experiments/evidence/tally_from_ledger.hpp"

#include "experiments/evidence/quantiles.hpp"

#include <algorithm>

namespace retrystorm {
namespace {

// Every query takes: arm, repeat, start and end of the settled window, and the timeout.
constexpr std::string_view requests_sql = R"(
  SELECT count(*), total(outcome = 'succeeded'), total(outcome = 'gave_up'),
    total(outcome = 'unsent'), total(outcome = 'unfinished'), max(finished),
    total(scheduled >= ?3 AND scheduled < ?4),
    total(outcome = 'succeeded' AND finished >= ?3 AND finished < ?4)
  FROM request_ends WHERE arm = ?1 AND repeat = ?2)";

constexpr std::string_view attempts_sql = R"(
  SELECT count(*), total(outcome = 'rejected'), total(outcome = 'timed_out'),
    total(outcome = 'failed_status'), total(outcome = 'connect_error'),
    total(outcome = 'io_error'), total(outcome = 'unfinished'), max(ended),
    total(sent >= ?3 AND sent < ?4), total(outcome = 'succeeded' AND ended - sent > ?5)
  FROM attempts WHERE arm = ?1 AND repeat = ?2)";

// Strangers (request is null) are no part of a tally.
constexpr std::string_view arrivals_sql = R"(
  SELECT count(*), total(disposition = 'completed'), total(disposition = 'refused'),
    total(disposition = 'skipped'), total(disposition = 'unfinished'),
    max(iif(disposition = 'unfinished', NULL, coalesce(finished, arrived))),
    total(disposition = 'completed' AND finished >= ?3 AND finished < ?4),
    total(disposition = 'completed' AND seen_gone = 'at_reply')
  FROM arrivals WHERE arm = ?1 AND repeat = ?2 AND request IS NOT NULL)";

constexpr std::string_view exchanges_sql = R"(
  SELECT total(kind = 'taken'), total(kind = 'abandoned'), total(kind = 'undelivered'),
    total(kind IN ('completed_unfinished', 'completed_attempt_lost')),
    total(kind = 'abandoned' AND seen_gone = 'later'),
    total(kind = 'abandoned' AND finished >= ?3 AND finished < ?4)
  FROM exchanges WHERE arm = ?1 AND repeat = ?2)";

// The one row of such a query.
class Row {
 public:
  Row(Database& database, std::string_view sql, const TryKey& key, const Scenario& s)
      : statement_(database, sql) {
    // A query names only the parameters it needs, and SQLite refuses to bind others.
    if (sql.find("?5") != sql.npos) {
      statement_.bind(key.arm, key.repeat, nanoseconds_of(settled_from(s)),
                      s.client.duration.count(), s.client.timeout.count());
    } else {
      statement_.bind(key.arm, key.repeat, nanoseconds_of(settled_from(s)),
                      s.client.duration.count());
    }
    statement_.step();
  }
  double operator[](int column) const { return statement_.number(column).value_or(0); }

 private:
  Statement statement_;
};

}  // namespace

Tally tally_from_ledger(Database& database, const TryKey& key, const Scenario& scenario) {
  const Row requests(database, requests_sql, key, scenario);
  const Row attempts(database, attempts_sql, key, scenario);
  const Row arrivals(database, arrivals_sql, key, scenario);
  const Row exchanges(database, exchanges_sql, key, scenario);
  Tally tally;
  tally.engine = "testbed";
  Counts& c = tally.counts;
  c.offered = requests[0], c.succeeded = requests[1], c.gave_up = requests[2];
  c.unsent = requests[3], c.unfinished_requests = requests[4];
  c.attempts = attempts[0], c.rejected = attempts[1], c.timed_out = attempts[2];
  c.failed_status = attempts[3], c.connect_error = attempts[4], c.io_error = attempts[5];
  c.unfinished_attempts = attempts[6], c.late_read = attempts[9];
  c.arrived = arrivals[0], c.completed = arrivals[1], c.refused = arrivals[2];
  c.skipped = arrivals[3], c.unfinished_arrivals = arrivals[4], c.abandoned_seen = arrivals[7];
  c.taken = exchanges[0], c.abandoned = exchanges[1], c.undelivered = exchanges[2];
  c.cut = exchanges[3], c.seen_later = exchanges[4];
  const double last = std::max({requests[5], attempts[7], arrivals[5], 0.0});
  tally.whole =
      make_rates(last * 1e-9, *c.offered, *c.succeeded, *c.completed, *c.attempts, c.abandoned);
  tally.settled = make_rates(seconds(instant_at(scenario.client.duration) - settled_from(scenario)),
                             requests[6], requests[7], arrivals[6], attempts[8], exchanges[5]);
  tally.request =
      exact_quantiles(integers(database, key,
                               "SELECT finished - scheduled FROM request_ends "
                               "WHERE arm = ? AND repeat = ? AND outcome = 'succeeded'"));
  tally.attempt =
      exact_quantiles(integers(database, key,
                               "SELECT ended - sent FROM attempts "
                               "WHERE arm = ? AND repeat = ? AND outcome = 'succeeded'"));
  tally.all = exact_quantiles(
      integers(database, key,
               "SELECT finished - scheduled FROM request_ends WHERE arm = ? AND repeat = ? "
               "AND outcome IN ('succeeded', 'gave_up', 'unsent') AND finished IS NOT NULL"));
  return tally;
}

Opening opening_from_ledger(Database& database, const TryKey& key, const Scenario& scenario) {
  const std::int64_t from = nanoseconds_of(settled_from(scenario));
  Statement statement(database,
                      "SELECT total(finished < ?3), max(iif(finished < ?3, finished, NULL)), "
                      "total(finished >= ?4) FROM request_ends "
                      "WHERE arm = ?1 AND repeat = ?2 AND outcome = 'succeeded'");
  statement.bind(key.arm, key.repeat, from, scenario.client.duration.count()).step();
  Opening opening;
  opening.seconds = seconds(since_start(settled_from(scenario)));
  opening.succeeded = statement.number(0);
  if (const auto last = statement.number(1)) opening.last_success_ms = *last / 1e6;
  opening.after_sending = statement.number(2);
  return opening;
}

std::vector<std::int64_t> integers(Database& database, const TryKey& key, std::string_view sql) {
  Statement statement(database, sql);
  statement.bind(key.arm, key.repeat);
  std::vector<std::int64_t> values;
  while (statement.step()) values.push_back(statement.integer(0));
  return values;
}

}  // namespace retrystorm
