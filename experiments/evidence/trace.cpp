#include "experiments/evidence/trace.hpp"

#include "core/json.hpp"

#include <algorithm>
#include <map>

#include <boost/json.hpp>

namespace retrystorm {
namespace json = boost::json;
namespace {

// Every statement takes arm, try_number, and a request or NULL for all.
constexpr std::string_view traced_requests_sql = R"(
  SELECT request, scheduled, finished, outcome, reason FROM request_ends
  WHERE arm = ?1 AND try_number = ?2 AND (?3 IS NULL OR request = ?3) ORDER BY request)";

constexpr std::string_view traced_attempts_sql = R"(
  SELECT t.request, t.attempt, t.sent, t.ended, t.outcome, t.status, t.reused,
    a.arrived, a.picked, a.started, a.finished, a.replied, a.disposition, a.reason, a.seen_gone
  FROM attempts t LEFT JOIN arrivals a
    ON a.arm = t.arm AND a.try_number = t.try_number
      AND a.request = t.request AND a.attempt = t.attempt
  WHERE t.arm = ?1 AND t.try_number = ?2 AND (?3 IS NULL OR t.request = ?3)
  ORDER BY t.request, t.attempt)";

// The rows of traced_attempts_sql, read.
class AttemptRows {
 public:
  AttemptRows(Database& database, const TryKey& key, std::optional<std::int64_t> request)
      : rows_(database, traced_attempts_sql) {
    rows_.bind(key.arm, key.try_number, request);
  }
  bool step() { return rows_.step(); }
  std::int64_t request() const { return request_.integer(); }

  TracedAttempt attempt() const {
    TracedAttempt attempt;
    attempt.attempt = attempt_.integer();
    attempt.sent = sent_.integer();
    attempt.ended = ended_.optional_integer();
    attempt.outcome = outcome_.text();
    attempt.status = status_.integer();
    attempt.reused = reused_.integer() != 0;
    if (!arrived_.is_null()) {
      attempt.arrival = TracedArrival{arrived_.integer(),
                                      picked_.optional_integer(),
                                      started_.optional_integer(),
                                      finished_.optional_integer(),
                                      replied_.optional_integer(),
                                      disposition_.text(),
                                      reason_.text(),
                                      seen_gone_.text()};
    }
    return attempt;
  }

 private:
  Statement rows_;
  // Found once: a run has millions of rows.
  Column request_ = rows_["request"], attempt_ = rows_["attempt"], sent_ = rows_["sent"];
  Column ended_ = rows_["ended"], outcome_ = rows_["outcome"], status_ = rows_["status"];
  Column reused_ = rows_["reused"], arrived_ = rows_["arrived"], picked_ = rows_["picked"];
  Column started_ = rows_["started"], finished_ = rows_["finished"], replied_ = rows_["replied"];
  Column disposition_ = rows_["disposition"], reason_ = rows_["reason"];
  Column seen_gone_ = rows_["seen_gone"];
};

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
  Statement rows(database, traced_requests_sql);
  rows.bind(key.arm, key.try_number, request);
  const Column number = rows["request"], scheduled = rows["scheduled"];
  const Column finished = rows["finished"], outcome = rows["outcome"], reason = rows["reason"];
  while (rows.step()) {
    index_of[number.integer()] = requests.size();
    TracedRequest traced;
    traced.request = number.integer();
    traced.scheduled = scheduled.integer();
    traced.finished = finished.optional_integer();
    traced.outcome = outcome.text();
    traced.reason = reason.text();
    requests.push_back(std::move(traced));
  }
  AttemptRows attempts(database, key, request);
  while (attempts.step()) {
    const auto found = index_of.find(attempts.request());
    if (found != index_of.end()) requests[found->second].attempts.push_back(attempts.attempt());
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
