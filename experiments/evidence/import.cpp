#include "experiments/evidence/import.hpp"

#include "core/classes.hpp"
#include "core/error.hpp"
#include "core/reason.hpp"
#include "core/tally.hpp"

#include <optional>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

using Time = std::optional<std::int64_t>;

// An enumeration's name, or nothing for a byte that names none (a damaged file).
template <typename Names, typename Value>
std::string_view name_in(const Names& names, Value value, const char* what) {
  const auto index = static_cast<std::size_t>(value);
  if (index >= names.size()) {
    throw InvalidInput("ledger", what, fmt::format("damaged: no value {}", index));
  }
  return names[index];
}

std::optional<std::string_view> reason_or_null(Reason reason) {
  if (reason == Reason::none) return std::nullopt;
  return name_in(reason_names, reason, "reason");
}

class Importer {
 public:
  Importer(Database& database, const TryKey& key, std::int64_t origin, std::size_t classes)
      : database_(database), key_(key), origin_(origin), classes_(classes) {}

  void attempts(const std::vector<AttemptRecord>& records, Imported& imported) {
    Statement insert(database_,
                     "INSERT INTO attempts (arm, try_number, request, attempt, sent, ended, "
                     "outcome, status, reused, class, reason) "
                     "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const AttemptRecord& r : records) {
      const Time ended = r.outcome == AttemptOutcome::unfinished ? Time() : Time(r.ended - origin_);
      const Time status = r.status == 0 ? Time() : Time(r.status);
      insert.run(key_.arm, key_.try_number, r.request, r.attempt, r.sent - origin_, ended,
                 name_in(attempt_outcome_names, r.outcome, "outcome"), status,
                 std::int64_t{r.reused}, class_of(r.client_class), reason_or_null(r.reason));
    }
    imported.attempts += records.size();
  }

  void requests(const std::vector<RequestRecord>& records, Imported& imported) {
    Statement insert(database_,
                     "INSERT INTO requests (arm, try_number, request, scheduled, finished, "
                     "outcome, reason, class) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    for (const RequestRecord& r : records) {
      const Time finished =
          r.outcome == RequestOutcome::unfinished ? Time() : Time(r.finished - origin_);
      insert.run(key_.arm, key_.try_number, r.request, r.scheduled - origin_, finished,
                 name_in(request_outcome_names, r.outcome, "outcome"), reason_or_null(r.reason),
                 class_of(r.client_class));
    }
    imported.requests += records.size();
  }

  void arrivals(const std::vector<ArrivalRecord>& records, std::uint64_t token,
                Imported& imported) {
    Statement insert(database_,
                     "INSERT INTO arrivals (arm, try_number, request, attempt, arrived, picked, "
                     "started, due, finished, replied, disposition, reason, seen_gone) "
                     "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const ArrivalRecord& r : records) {
      if (r.amends != 0) continue;
      const bool ours = r.token == token;
      const bool worked = r.picked != 0;
      const bool ended = r.disposition != Disposition::unfinished;
      const auto id = [&](std::uint64_t v) {
        return ours ? Time(static_cast<std::int64_t>(v)) : Time();
      };
      const auto since = [&](std::int64_t t, bool known) {
        return known ? Time(t - origin_) : Time();
      };
      insert.run(key_.arm, key_.try_number, id(r.request), id(r.attempt), r.arrived - origin_,
                 since(r.picked, worked), since(r.started, worked), since(r.due, worked),
                 since(r.finished, ended && worked), since(r.replied, r.replied != 0),
                 name_in(disposition_names, r.disposition, "disposition"), reason_or_null(r.reason),
                 name_in(seen_gone_names, r.seen_gone, "seen_gone"));
      ++imported.arrivals;
    }
  }

  // After all arrivals: the later words on them.
  void amendments(const std::vector<ArrivalRecord>& records, std::uint64_t token,
                  Imported& imported) {
    Statement amend(database_,
                    "UPDATE arrivals SET seen_gone = ? WHERE arm = ? AND try_number = ? AND "
                    "request = ? AND attempt = ? AND seen_gone = 'no'");
    for (const ArrivalRecord& r : records) {
      if (r.amends == 0 || r.token != token) continue;
      amend.run(name_in(seen_gone_names, r.seen_gone, "seen_gone"), key_.arm, key_.try_number,
                r.request, r.attempt);
      if (database_.changes() == 0) ++imported.amendments_lost;
    }
  }

 private:
  std::int64_t class_of(std::uint8_t number) const {
    if (number >= classes_) {
      throw InvalidInput("ledger", "class", fmt::format("damaged: no class {}", number));
    }
    return number;
  }

  Database& database_;
  const TryKey& key_;
  std::int64_t origin_;
  std::size_t classes_;
};

}  // namespace

bool is_imported(Database& database, const TryKey& key) {
  Statement find(database, "SELECT 1 FROM arms WHERE arm = ? AND try_number = ?");
  return find.bind(key.arm, key.try_number).step();
}

Imported import_ledgers(Database& database, const TryKey& key, std::uint64_t token,
                        const Scenario& scenario, const std::string& directory,
                        const LedgerDigests& digests) {
  const RawLedgers raw = read_raw_ledgers(directory, token, scenario, digests);
  Imported imported;
  imported.gaps = raw.gaps;
  Transaction transaction(database);
  Statement(database, "INSERT INTO arms (arm, try_number, token, scenario) VALUES (?, ?, ?, ?)")
      .run(key.arm, key.try_number, format_token(token),
           std::string_view(boost::json::serialize(to_json(scenario))));
  Importer importer(database, key, raw.origin, class_count(scenario));
  for (const auto& file : raw.attempts) importer.attempts(file.records, imported);
  for (const auto& file : raw.requests) importer.requests(file.records, imported);
  for (const auto& file : raw.arrivals) importer.arrivals(file.records, token, imported);
  for (const auto& file : raw.arrivals) importer.amendments(file.records, token, imported);
  transaction.commit();
  return imported;
}

void forget_try(Database& database, const TryKey& key) {
  Transaction transaction(database);
  for (const char* table : {"arrivals", "attempts", "requests", "arms"}) {
    Statement(database, fmt::format("DELETE FROM {} WHERE arm = ? AND try_number = ?", table))
        .run(key.arm, key.try_number);
  }
  transaction.commit();
}

}  // namespace retrystorm
