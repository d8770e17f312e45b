// What a run of the generator came to: the merged books, the Tally made of them, and whether the
// generator held the load it promised.
#pragma once

#include "core/tally.hpp"
#include "loadgen/load.hpp"
#include "loadgen/observed.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace retrystorm::loadgen {

struct Result {
  LoadOptions options;  // as resolved
  std::uint32_t threads = 1;
  Observed seen;
  std::vector<Observed> classes;  // each class's part of it, if there are several
  std::uint64_t connections = 0;
  Instant origin{};  // start of the schedule on the steady clock
  Duration wall{};   // from the start of the schedule to the end of the run
  Duration cpu{};    // of the process, user and system
  bool interrupted = false;
  std::optional<std::uint64_t> planned;  // requests that an interrupt kept from being offered
  std::uint64_t ledger_lost = 0;
  std::string ledger_error;
  std::map<std::string, std::string> ledger_sha256;  // of each file of the ledger, by its name
  std::vector<std::string> warnings;                 // of the machine
  std::string failure;                               // what ended a thread before its time
};

// The client's part of a Tally, of each class too; what only the service knows stays empty. Whether
// the run has settled is judged by its windows: a client sees no queue, and cannot carry on a
// service that may be anybody's.
Tally tally_of(const Result& result);

// The rates of a window of so many seconds that a client knows; what only the service can answer is
// empty, not zero.
Rates client_rates(double window_s, std::uint64_t offered, std::uint64_t succeeded,
                   std::uint64_t attempts);

// Why the load offered was not the load asked for, by the limits of the options; empty if it was.
std::vector<std::string> limited_by(const Result& result);

// Which threshold of the options was not met, and by what; empty if every one was.
std::vector<std::string> failed_thresholds(const Result& result);

// What else a reader should know: slow connects, records lost.
std::vector<std::string> warnings_of(const Result& result);

}  // namespace retrystorm::loadgen
