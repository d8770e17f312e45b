#include "experiments/evidence/trace.hpp"

#include "core/json.hpp"

#include <algorithm>
#include <map>

#include <boost/json.hpp>

namespace retrystorm {
namespace json = boost::json;
namespace {

std::optional<std::int64_t> time_at(const Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.integer(column));
}

// Every statement takes arm, repeat, and a request or NULL for all.
constexpr std::string_view requests_sql = R"(
  SELECT request, scheduled, finished, outcome, reason FROM request_ends
  WHERE arm = ?1 AND repeat = ?2 AND (?3 IS NULL OR request = ?3) ORDER BY request)";

constexpr std::string_view attempts_sql = R"(
  SELECT t.request, t.attempt, t.sent, t.ended, t.outcome, t.status, t.reused,
    a.arrived, a.picked, a.started, a.finished, a.replied, a.disposition, a.reason, a.seen_gone
  FROM attempts t LEFT JOIN arrivals a
    ON a.arm = t.arm AND a.repeat = t.repeat AND a.request = t.request AND a.attempt = t.attempt
  WHERE t.arm = ?1 AND t.repeat = ?2 AND (?3 IS NULL OR t.request = ?3)
  ORDER BY t.request, t.attempt)";

TracedAttempt attempt_in(const Statement& row) {
  TracedAttempt attempt;
  attempt.attempt = row.integer(1);
  attempt.sent = row.integer(2);
  attempt.ended = time_at(row, 3);
  attempt.outcome = row.text(4);
  attempt.status = row.is_null(5) ? 0 : row.integer(5);
  attempt.reused = row.integer(6) != 0;
  if (!row.is_null(7)) {
    attempt.arrival =
        TracedArrival{row.integer(7),   time_at(row, 8), time_at(row, 9), time_at(row, 10),
                      time_at(row, 11), row.text(12),    row.text(13),    row.text(14)};
  }
  return attempt;
}

json::value milliseconds_or_null(const std::optional<std::int64_t>& ns) {
  return ns ? json::value(static_cast<double>(*ns) * 1e-6) : json::value();
}

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value() : json::value(text);
}

}  // namespace

std::int64_t TracedRequest::last() const {
  std::int64_t at = std::max(scheduled, finished.value_or(scheduled));
  for (const TracedAttempt& attempt : attempts) {
    at = std::max({at, attempt.sent, attempt.ended.value_or(0)});
    if (!attempt.arrival) continue;
    const TracedArrival& a = *attempt.arrival;
    at = std::max({at, a.arrived, a.finished.value_or(0), a.replied.value_or(0)});
  }
  return at;
}

std::vector<TracedRequest> trace_requests(Database& database, const TryKey& key,
                                          std::optional<std::int64_t> request) {
  std::vector<TracedRequest> requests;
  std::map<std::int64_t, std::size_t> index_of;  // by number of the request
  Statement rows(database, requests_sql);
  rows.bind(key.arm, key.repeat, request);
  while (rows.step()) {
    index_of[rows.integer(0)] = requests.size();
    TracedRequest traced;
    traced.request = rows.integer(0);
    traced.scheduled = rows.integer(1);
    traced.finished = time_at(rows, 2);
    traced.outcome = rows.text(3);
    traced.reason = rows.text(4);
    requests.push_back(std::move(traced));
  }
  Statement attempts(database, attempts_sql);
  attempts.bind(key.arm, key.repeat, request);
  while (attempts.step()) {
    const auto found = index_of.find(attempts.integer(0));
    if (found != index_of.end()) requests[found->second].attempts.push_back(attempt_in(attempts));
  }
  return requests;
}

bool was_abandoned(const TracedAttempt& attempt) {
  return attempt.arrival && attempt.arrival->disposition == name(Disposition::completed) &&
         attempt.outcome == name(AttemptOutcome::timed_out);
}

json::value to_json(const TracedRequest& request) {
  json::array attempts;
  for (const TracedAttempt& attempt : request.attempts) {
    json::value arrival;
    if (const auto& a = attempt.arrival) {
      arrival = {{"arrived_ms", milliseconds_or_null(a->arrived)},
                 {"picked_ms", milliseconds_or_null(a->picked)},
                 {"started_ms", milliseconds_or_null(a->started)},
                 {"finished_ms", milliseconds_or_null(a->finished)},
                 {"replied_ms", milliseconds_or_null(a->replied)},
                 {"disposition", a->disposition},
                 {"reason", text_or_null(a->reason)},
                 {"seen_gone", a->seen_gone}};
    }
    attempts.push_back({{"attempt", attempt.attempt},
                        {"sent_ms", milliseconds_or_null(attempt.sent)},
                        {"ended_ms", milliseconds_or_null(attempt.ended)},
                        {"outcome", attempt.outcome},
                        {"status", attempt.status},
                        {"reused", attempt.reused},
                        {"abandoned", was_abandoned(attempt)},
                        {"arrival", std::move(arrival)}});
  }
  return {{"request", request.request},
          {"scheduled_ms", milliseconds_or_null(request.scheduled)},
          {"finished_ms", milliseconds_or_null(request.finished)},
          {"outcome", request.outcome},
          {"reason", text_or_null(request.reason)},
          {"attempts", std::move(attempts)}};
}

}  // namespace retrystorm
