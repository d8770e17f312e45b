// Ledger files into the tables of a run's database. What the rows say about each other is not
// judged here.
#pragma once

#include "core/scenario.hpp"
#include "experiments/evidence/ledger_database.hpp"
#include "experiments/evidence/raw_ledgers.hpp"
#include "experiments/evidence/try_key.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace retrystorm {

// What was found.
struct Imported {
  std::uint64_t attempts = 0;
  std::uint64_t requests = 0;
  std::uint64_t arrivals = 0;
  std::uint64_t amendments_lost = 0;  // later words on arrivals that are not in the ledger
  // What a whole ledger would not have: files missing, records torn. Empty for a whole one.
  std::vector<std::string> gaps;
};

// True if the try is in the database.
bool is_imported(Database& database, const TryKey& key);

// Imports attempts-*.bin, requests-*.bin and arrivals-*.bin of `directory` and adds the try to
// `arms`: all or nothing. Times become relative to the generator's schedule start. Arrivals
// without this token are strangers. Throws as read_raw_ledgers() does.
Imported import_ledgers(Database& database, const TryKey& key, std::uint64_t token,
                        const Scenario& scenario, const std::string& directory,
                        const LedgerDigests& digests = {});

// Takes a try out of the database again.
void forget_try(Database& database, const TryKey& key);

}  // namespace retrystorm
