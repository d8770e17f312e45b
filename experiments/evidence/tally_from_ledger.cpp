#include "experiments/evidence/tally_from_ledger.hpp"

#include "core/classes.hpp"
#include "core/stage_counts.hpp"
#include "experiments/evidence/quantiles.hpp"
#include "experiments/evidence/try_query.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// Every query takes: arm, try_number, start and end of the settled window, and the timeout.
// `settled_` marks what falls into the window. Each can be narrowed to what is of one class.
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

constexpr std::string_view request_latencies_sql = R"(
  SELECT finished - scheduled FROM request_ends
  WHERE arm = ?1 AND try_number = ?2 AND outcome = 'succeeded')";

constexpr std::string_view attempt_latencies_sql = R"(
  SELECT ended - sent FROM attempts
  WHERE arm = ?1 AND try_number = ?2 AND outcome = 'succeeded')";

constexpr std::string_view all_latencies_sql = R"(
  SELECT finished - scheduled FROM request_ends WHERE arm = ?1 AND try_number = ?2
    AND outcome IN ('succeeded', 'gave_up', 'unsent') AND finished IS NOT NULL)";

// The try, or one class of its requests and what was done for them.
using ClassNumber = std::optional<std::size_t>;

std::string narrowed(std::string_view sql, ClassNumber c) {
  if (!c) return std::string(sql);
  return fmt::format(R"({} AND request IN (
    SELECT request FROM requests WHERE arm = ?1 AND try_number = ?2 AND class = {}
    UNION SELECT request FROM attempts WHERE arm = ?1 AND try_number = ?2 AND class = {}))",
                     sql, *c, *c);
}

// The one row of such a query.
class Row {
 public:
  Row(Database& database, const std::string& sql, const TryKey& key, const Scenario& s,
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

// When the last thing happened, in nanoseconds from the start.
double last_of(const Row& requests, const Row& attempts, const Row& arrivals) {
  return std::max({requests["last"], attempts["last"], arrivals["last"], 0.0});
}

// Every instant that a query of one column gives.
void count_stages(StageCounts& stages, Database& database, const TryKey& key,
                  StageCounts::Event event, const std::string& sql) {
  Statement rows(database, sql);
  rows.bind(key.arm, key.try_number);
  while (rows.step()) stages.count(event, instant_at(rows.only_column().integer()));
}

std::vector<StageRates> stages_of(Database& database, const TryKey& key, const Scenario& scenario,
                                  ClassNumber of_class) {
  if (scenario.client.stages.empty()) return {};
  using Event = StageCounts::Event;
  constexpr std::pair<Event, std::string_view> instants[] = {
      {Event::offered, "SELECT scheduled FROM request_ends WHERE arm = ?1 AND try_number = ?2"},
      {Event::attempted, "SELECT sent FROM attempts WHERE arm = ?1 AND try_number = ?2"},
      {Event::succeeded,
       "SELECT finished FROM request_ends WHERE arm = ?1 AND try_number = ?2 AND outcome = "
       "'succeeded'"},
      {Event::completed,
       "SELECT finished FROM arrivals WHERE arm = ?1 AND try_number = ?2 AND request IS NOT NULL "
       "AND disposition = 'completed'"},
      {Event::abandoned,
       "SELECT finished FROM exchanges WHERE arm = ?1 AND try_number = ?2 AND kind = "
       "'abandoned'"}};
  StageCounts stages(scenario);
  for (const auto& [event, sql] : instants) {
    count_stages(stages, database, key, event, narrowed(sql, of_class));
  }
  return stages.rates();
}

// `scenario`: of the class. The rates of a class are over the length of the run, as the whole's.
Tally tally_of(Database& database, const TryKey& key, const Scenario& scenario,
               const MeasuredWindow& window, ClassNumber of_class, Count length_s) {
  const Row requests(database, narrowed(requests_sql, of_class), key, scenario, window);
  const Row attempts(database, narrowed(attempts_sql, of_class), key, scenario, window);
  const Row arrivals(database, narrowed(arrivals_sql, of_class), key, scenario, window);
  const Row exchanges(database, narrowed(exchanges_sql, of_class), key, scenario, window);
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
  tally.whole = make_rates(length_s.value_or(last_of(requests, attempts, arrivals) * 1e-9),
                           *c.offered, *c.succeeded, *c.completed, *c.attempts, c.abandoned);
  tally.settling.reason = window.reason;
  if (window.reason.empty()) {
    tally.settled = make_rates(seconds(window.to - window.from), requests["settled_offered"],
                               requests["settled_succeeded"], arrivals["settled_completed"],
                               attempts["settled_attempts"], exchanges["settled_abandoned"]);
    tally.settling.from_s = seconds(since_start(window.from));
    tally.settling.to_s = seconds(since_start(window.to));
  }
  const auto quantiles = [&](std::string_view sql) {
    return exact_quantiles(integers(database, key, narrowed(sql, of_class)));
  };
  tally.stages = stages_of(database, key, scenario, of_class);
  tally.request = quantiles(request_latencies_sql);
  tally.attempt = quantiles(attempt_latencies_sql);
  tally.all = quantiles(all_latencies_sql);
  return tally;
}

}  // namespace

Tally tally_from_ledger(Database& database, const TryKey& key, const Scenario& scenario,
                        const MeasuredWindow& window) {
  Tally whole = tally_of(database, key, scenario, window, std::nullopt, std::nullopt);
  if (scenario.classes.empty()) return whole;
  // Whether a reply was read late depends on its client's timeout.
  whole.counts.late_read = 0;
  for (std::size_t c = 0; c < scenario.classes.size(); ++c) {
    whole.classes.push_back(
        tally_of(database, key, scenario_of_class(scenario, c), window, c, whole.whole.seconds));
    *whole.counts.late_read += whole.classes.back().counts.late_read.value();
  }
  return whole;
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
