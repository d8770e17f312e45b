#include "experiments/evidence/reconcile.hpp"

#include "experiments/evidence/try_query.hpp"

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr ExchangeKind kinds[] = {
    {"taken", true, "completed, and the client took the reply"},
    {"refused", true, "refused, and the client took the reply"},
    {"abandoned", true, "completed after the client had timed out"},
    {"undelivered", true, "completed, and the attempt ended in another error"},
    {"completed_unfinished", true, "completed, and the client was cut off before its end"},
    {"refused_late", true, "refused after the client had timed out"},
    {"refused_undelivered", true, "refused, and the attempt ended in another error"},
    {"refused_unfinished", true, "refused, and the client was cut off before its end"},
    {"skipped", true, "left the queue unserved"},
    {"unserved", true, "still queued or in work when the service stopped"},
    {"not_connected", true, "attempts that found no connection"},
    {"never_seen_io_error", true, "attempts whose connection broke before the service read them"},
    {"never_seen_unfinished", true, "attempts cut off before the service read them"},
    {"never_seen", false, "attempts that the service never saw"},
    {"stranger", false, "arrivals without an id of this run"},
    {"attempt_lost", false, "arrivals whose attempt record was lost"},
    {"completed_attempt_lost", false, "completions whose attempt record was lost"},
    {"contradiction", false, "exchanges whose two sides contradict each other"},
    {"request_lost", false, "requests whose own record was lost"},
    {"request_twice", false, "requests recorded more than once"},
    {"attempt_twice", false, "attempts recorded more than once"},
    {"arrival_twice", false, "arrivals with the id of another"},
    {"amendment_lost", false, "later words on arrivals that are not in the ledger"},
};

std::uint64_t count(Database& database, const TryKey& key, std::string_view sql) {
  return static_cast<std::uint64_t>(integers(database, key, sql).at(0));
}

}  // namespace

std::span<const ExchangeKind> exchange_kinds() {
  return kinds;
}

Reconciliation reconcile(Database& database, const TryKey& key, const Imported& imported) {
  Reconciliation found;
  for (const ExchangeKind& each : kinds) found[std::string(each.name)] = 0;
  Statement rows(database,
                 "SELECT kind, count FROM reconciliation WHERE arm = ? AND try_number = ?");
  rows.bind(key.arm, key.try_number);
  const Column kind = rows["kind"];
  const Column counted = rows["count"];
  while (rows.step()) found[kind.text()] = static_cast<std::uint64_t>(counted.integer());
  found["request_lost"] =
      count(database, key,
            "SELECT count(*) FROM request_ends WHERE arm = ? AND try_number = ? AND record_lost");
  found["request_twice"] =
      count(database, key,
            "SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM requests "
            "WHERE arm = ? AND try_number = ? GROUP BY request HAVING n > 1)");
  found["attempt_twice"] =
      count(database, key,
            "SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM attempts "
            "WHERE arm = ? AND try_number = ? GROUP BY request, attempt HAVING n > 1)");
  found["arrival_twice"] =
      count(database, key,
            "SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM arrivals WHERE arm = ? "
            "AND try_number = ? AND request IS NOT NULL GROUP BY request, attempt HAVING n > 1)");
  found["amendment_lost"] = imported.amendments_lost;
  return found;
}

std::vector<std::string> unexplained(const Reconciliation& reconciliation) {
  std::vector<std::string> texts;
  for (const ExchangeKind& kind : kinds) {
    const auto found = reconciliation.find(kind.name);
    if (kind.explained || found == reconciliation.end() || found->second == 0) continue;
    texts.push_back(fmt::format("{}: {}", kind.meaning, found->second));
  }
  return texts;
}

}  // namespace retrystorm
