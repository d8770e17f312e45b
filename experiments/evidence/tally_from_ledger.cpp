#include "experiments/evidence/tally_from_ledger.hpp"

#include "experiments/evidence/quantiles.hpp"
#include "experiments/evidence/try_query.hpp"

#include <algorithm>

namespace retrystorm {
namespace {

// Every query takes: arm, try_number, start and end of the settled window, and the timeout.
// `settled_` marks what falls into the window.
constexpr std::string_view requests_sql = R"(
  SELECT count(*) AS offered, total(outcome = 'succeeded') AS succeeded,
    total(outcome = 'gave_up') AS gave_up, total(outcome = 'unsent') AS unsent,
    total(outcome = 'unfinished') AS unfinished, max(finished) AS last,
    total(scheduled >= ?3 AND scheduled < ?4) AS settled_offered,
    total(outcome = 'succeeded' AND finished >= ?3 AND finished < ?4) AS settled_succeeded
  FROM request_ends WHERE arm = ?1 AND try_number = ?2)";

constexpr std::string_view attempts_sql = R"(
  SELECT count(*) AS attempts, total(outcome = 'rejected') AS rejected,
    total(outcome = 'timed_out') AS timed_out, total(outcome = 'failed_status') AS failed_status,
    total(outcome = 'connect_error') AS connect_error, total(outcome = 'io_error') AS io_error,
    total(outcome = 'unfinished') AS unfinished, max(ended) AS last,
    total(sent >= ?3 AND sent < ?4) AS settled_attempts,
    total(outcome = 'succeeded' AND ended - sent > ?5) AS late_read
  FROM attempts WHERE arm = ?1 AND try_number = ?2)";

// Strangers (request is null) are no part of a tally.
constexpr std::string_view arrivals_sql = R"(
  SELECT count(*) AS arrived, total(disposition = 'completed') AS completed,
    total(disposition = 'refused') AS refused, total(disposition = 'skipped') AS skipped,
    total(disposition = 'unfinished') AS unfinished,
    max(iif(disposition = 'unfinished', NULL, coalesce(finished, arrived))) AS last,
    total(disposition = 'completed' AND finished >= ?3 AND finished < ?4) AS settled_completed,
    total(disposition = 'completed' AND seen_gone = 'at_reply') AS abandoned_seen
  FROM arrivals WHERE arm = ?1 AND try_number = ?2 AND request IS NOT NULL)";

constexpr std::string_view exchanges_sql = R"(
  SELECT total(kind = 'taken') AS taken, total(kind = 'abandoned') AS abandoned,
    total(kind = 'undelivered') AS undelivered,
    total(kind IN ('completed_unfinished', 'completed_attempt_lost')) AS cut,
    total(kind = 'abandoned' AND seen_gone = 'later') AS seen_later,
    total(kind = 'abandoned' AND finished >= ?3 AND finished < ?4) AS settled_abandoned
  FROM exchanges WHERE arm = ?1 AND try_number = ?2)";

// The one row of such a query.
class Row {
 public:
  Row(Database& database, std::string_view sql, const TryKey& key, const Scenario& s,
      const MeasuredWindow& window)
      : statement_(database, sql) {
    // A query names only the parameters it needs, and SQLite refuses to bind others.
    if (sql.find("?5") != sql.npos) {
      statement_.bind(key.arm, key.try_number, nanoseconds_of(window.from),
                      nanoseconds_of(window.to), s.client.timeout.count());
    } else {
      statement_.bind(key.arm, key.try_number, nanoseconds_of(window.from),
                      nanoseconds_of(window.to));
    }
    statement_.step();
  }
  double operator[](std::string_view column) const {
    return statement_[column].number().value_or(0);
  }

 private:
  Statement statement_;
};

}  // namespace

Tally tally_from_ledger(Database& database, const TryKey& key, const Scenario& scenario,
                        const MeasuredWindow& window) {
  const Row requests(database, requests_sql, key, scenario, window);
  const Row attempts(database, attempts_sql, key, scenario, window);
  const Row arrivals(database, arrivals_sql, key, scenario, window);
  const Row exchanges(database, exchanges_sql, key, scenario, window);
  Tally tally;
  tally.engine = "testbed";
  Counts& c = tally.counts;
  c.offered = requests["offered"], c.succeeded = requests["succeeded"];
  c.gave_up = requests["gave_up"], c.unsent = requests["unsent"];
  c.unfinished_requests = requests["unfinished"];
  c.attempts = attempts["attempts"], c.rejected = attempts["rejected"];
  c.timed_out = attempts["timed_out"], c.failed_status = attempts["failed_status"];
  c.connect_error = attempts["connect_error"], c.io_error = attempts["io_error"];
  c.unfinished_attempts = attempts["unfinished"], c.late_read = attempts["late_read"];
  c.arrived = arrivals["arrived"], c.completed = arrivals["completed"];
  c.refused = arrivals["refused"], c.skipped = arrivals["skipped"];
  c.unfinished_arrivals = arrivals["unfinished"], c.abandoned_seen = arrivals["abandoned_seen"];
  c.taken = exchanges["taken"], c.abandoned = exchanges["abandoned"];
  c.undelivered = exchanges["undelivered"], c.cut = exchanges["cut"];
  c.seen_later = exchanges["seen_later"];
  const double last = std::max({requests["last"], attempts["last"], arrivals["last"], 0.0});
  tally.whole =
      make_rates(last * 1e-9, *c.offered, *c.succeeded, *c.completed, *c.attempts, c.abandoned);
  tally.settling.reason = window.reason;
  if (window.reason.empty()) {
    tally.settled = make_rates(seconds(window.to - window.from), requests["settled_offered"],
                               requests["settled_succeeded"], arrivals["settled_completed"],
                               attempts["settled_attempts"], exchanges["settled_abandoned"]);
    tally.settling.from_s = seconds(since_start(window.from));
    tally.settling.to_s = seconds(since_start(window.to));
  }
  tally.request =
      exact_quantiles(integers(database, key,
                               "SELECT finished - scheduled FROM request_ends "
                               "WHERE arm = ? AND try_number = ? AND outcome = 'succeeded'"));
  tally.attempt =
      exact_quantiles(integers(database, key,
                               "SELECT ended - sent FROM attempts "
                               "WHERE arm = ? AND try_number = ? AND outcome = 'succeeded'"));
  tally.all = exact_quantiles(
      integers(database, key,
               "SELECT finished - scheduled FROM request_ends WHERE arm = ? AND try_number = ? "
               "AND outcome IN ('succeeded', 'gave_up', 'unsent') AND finished IS NOT NULL"));
  return tally;
}

Tally tally_from_ledger(Database& database, const TryKey& key, const Scenario& scenario) {
  return tally_from_ledger(database, key, scenario,
                           settled_window_from_ledger(database, key, scenario));
}

Opening opening_from_ledger(Database& database, const TryKey& key, const MeasuredWindow& window) {
  Statement statement(database,
                      "SELECT total(finished < ?3) AS succeeded, "
                      "max(iif(finished < ?3, finished, NULL)) AS last_success, "
                      "total(finished >= ?4) AS after_sending FROM request_ends "
                      "WHERE arm = ?1 AND try_number = ?2 AND outcome = 'succeeded'");
  statement.bind(key.arm, key.try_number, nanoseconds_of(window.from), nanoseconds_of(window.to))
      .step();
  Opening opening;
  opening.seconds = seconds(since_start(window.from));
  opening.succeeded = statement["succeeded"].number();
  if (const auto last = statement["last_success"].number()) opening.last_success_ms = *last / 1e6;
  opening.after_sending = statement["after_sending"].number();
  return opening;
}

}  // namespace retrystorm
