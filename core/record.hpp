// The rows of a ledger as the processes write them while a run goes on: fixed size, native byte
// order, times in nanoseconds of the machine's steady clock. `run` imports them into SQLite at the
// end.
#pragma once

#include "core/outcome.hpp"
#include "core/reason.hpp"

#include <cstdint>
#include <type_traits>

namespace retrystorm {

// What a ledger file holds.
enum class RecordKind : std::uint32_t { attempts = 1, requests = 2, arrivals = 3 };

struct AttemptRecord {
  static constexpr RecordKind kind = RecordKind::attempts;
  std::uint64_t request;
  std::int64_t sent;
  std::int64_t ended;  // meaningless for unfinished
  std::uint32_t attempt;
  std::uint16_t status;  // HTTP status, 0 without one
  AttemptOutcome outcome;
  Reason reason;
  std::uint8_t reused;        // 1: made on a kept connection
  std::uint8_t client_class;  // of its request; 0 in files from before there were classes
  std::uint8_t padding[6];
};

struct RequestRecord {
  static constexpr RecordKind kind = RecordKind::requests;
  std::uint64_t request;
  std::int64_t scheduled;
  std::int64_t finished;
  RequestOutcome outcome;
  Reason reason;
  std::uint8_t client_class;  // as an attempt's
  std::uint8_t padding[5];
};

struct ArrivalRecord {
  static constexpr RecordKind kind = RecordKind::arrivals;
  std::uint64_t token;  // run token of the id header; 0: a stranger
  std::uint64_t request;
  std::int64_t arrived;
  std::int64_t picked;  // these four are 0 for an arrival that no worker took
  std::int64_t started;
  std::int64_t due;
  std::int64_t finished;
  std::int64_t replied;  // 0: no reply was written
  std::uint32_t attempt;
  Disposition disposition;
  Reason reason;
  SeenGone seen_gone;
  std::uint8_t
      amends;  // 1: not an arrival, but a later word on seen_gone of the arrival with this id
};

static_assert(std::is_trivially_copyable_v<AttemptRecord> && sizeof(AttemptRecord) == 40);
static_assert(std::is_trivially_copyable_v<RequestRecord> && sizeof(RequestRecord) == 32);
static_assert(std::is_trivially_copyable_v<ArrivalRecord> && sizeof(ArrivalRecord) == 72);

// The first bytes of a ledger file.
struct RecordFileHeader {
  char magic[8];  // "RTRYSTRM"
  std::uint32_t version;
  RecordKind kind;
  std::uint32_t record_size;
  std::uint32_t thread;
  std::uint64_t token;  // of the run; 0 if it has none
  std::int64_t
      origin;  // the generator's schedule start on the steady clock; 0 in the service's files
  std::uint8_t padding[24];
};
inline constexpr char record_magic[8] = {'R', 'T', 'R', 'Y', 'S', 'T', 'R', 'M'};
inline constexpr std::uint32_t record_version = 1;
static_assert(std::is_trivially_copyable_v<RecordFileHeader> && sizeof(RecordFileHeader) == 64);

// An attempt's id in the header `Retrystorm-Attempt: RUN-REQUEST-ATTEMPT`: RUN is 16 hexadecimal
// digits, the others decimal.
inline constexpr const char* attempt_header = "Retrystorm-Attempt";
// The mean work that a request asks for, in whole microseconds: obeyed by a service of the same
// run.
inline constexpr const char* work_header = "Retrystorm-Work-Us";
struct AttemptId {
  std::uint64_t token = 0;
  std::uint64_t request = 0;
  std::uint32_t attempt = 0;
};

}  // namespace retrystorm
