// The raw ledger files of one try, read back and held against what they were when they were
// written: by their digests, where the try's note has them, and by what their records can say.
#pragma once

#include "core/ledger.hpp"
#include "core/scenario.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace retrystorm {

// The SHA-256 of each file by its name, in the directory of the try. Empty: none were kept, by an
// earlier version of the program or by a run that was killed.
using LedgerDigests = std::map<std::string, std::string>;

struct RawLedgers {
  std::vector<LedgerContent<AttemptRecord>> attempts;
  std::vector<LedgerContent<RequestRecord>> requests;
  std::vector<LedgerContent<ArrivalRecord>> arrivals;
  std::int64_t origin = 0;  // the schedule's start; without a generator's ledger the first arrival
  // What a whole ledger would not have: files missing, records torn.
  std::vector<std::string> gaps;
};

// Reads attempts-*.bin, requests-*.bin and arrivals-*.bin. Throws InvalidInput naming the file for
// one that is no ledger of this token, not what its digest says, or holds a record that cannot be.
RawLedgers read_raw_ledgers(const std::string& directory, std::uint64_t token,
                            const Scenario& scenario, const LedgerDigests& digests);

// The digests of a try that is over: those that its processes took as they wrote, and for a process
// that died before it could tell, that of the file as it is now.
LedgerDigests digests_of_try(const std::string& directory, LedgerDigests told);

// Which of a try's files are not what they were, each as "arrivals-0.bin is not ..."; none for
// files that are there no more.
std::vector<std::string> altered_ledgers(const std::string& directory,
                                         const LedgerDigests& digests);

}  // namespace retrystorm
