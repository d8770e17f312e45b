// Ledger files written by hand, as the service and the generator would have left them.
#pragma once

#include "core/ledger.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace retrystorm {

// In nanoseconds.
inline constexpr std::int64_t us = 1'000;
inline constexpr std::int64_t ms = 1'000'000;

// Times are given in nanoseconds from the schedule's start and written on a steady clock that
// started earlier.
class HandMadeLedger {
 public:
  static constexpr std::uint64_t token = 0x0123456789abcdef;
  static constexpr std::int64_t origin = 5'000'000'000;

  std::vector<AttemptRecord> attempts;
  std::vector<RequestRecord> requests;
  std::vector<ArrivalRecord> arrivals;

  AttemptRecord& attempt(std::uint64_t request, std::uint32_t number, AttemptOutcome outcome,
                         std::int64_t sent = 0, std::int64_t ended = 1000) {
    AttemptRecord r{};
    r.request = request;
    r.attempt = number;
    r.outcome = outcome;
    r.sent = origin + sent;
    r.ended = origin + ended;
    if (outcome == AttemptOutcome::succeeded) r.status = 200;
    if (outcome == AttemptOutcome::rejected) r.status = 503;
    return attempts.emplace_back(r);
  }

  RequestRecord& request(std::uint64_t number, RequestOutcome outcome, std::int64_t scheduled = 0,
                         std::int64_t finished = 1000, Reason reason = Reason::none) {
    RequestRecord r{};
    r.request = number;
    r.outcome = outcome;
    r.reason = reason;
    r.scheduled = origin + scheduled;
    r.finished = origin + finished;
    return requests.emplace_back(r);
  }

  // Worked from its arrival on, if completed.
  ArrivalRecord& arrival(std::uint64_t request, std::uint32_t attempt, Disposition disposition,
                         std::int64_t arrived = 100, std::int64_t finished = 900) {
    ArrivalRecord r{};
    r.token = token;
    r.request = request;
    r.attempt = attempt;
    r.disposition = disposition;
    r.arrived = origin + arrived;
    if (disposition == Disposition::completed) {
      r.picked = r.started = r.arrived;
      r.due = r.finished = r.replied = origin + finished;
    } else if (disposition == Disposition::refused) {
      r.replied = origin + finished;
      r.reason = Reason::queue_full;
    }
    return arrivals.emplace_back(r);
  }

  // A request with one attempt, taken by the client.
  void served(std::uint64_t number, std::int64_t at, std::int64_t took) {
    request(number, RequestOutcome::succeeded, at, at + took);
    attempt(number, 0, AttemptOutcome::succeeded, at, at + took);
    arrival(number, 0, Disposition::completed, at, at + took);
  }

  // Writes the three files into a directory.
  void write(const std::string& directory) const {
    write_file(directory + "/attempts-0.bin", attempts, origin);
    write_file(directory + "/requests-0.bin", requests, origin);
    write_file(directory + "/arrivals-0.bin", arrivals, 0);
  }

  template <typename Record>
  static void write_file(const std::string& path, const std::vector<Record>& records,
                         std::int64_t start) {
    RecordFileHeader header{};
    std::memcpy(header.magic, record_magic, sizeof record_magic);
    header.version = record_version;
    header.kind = Record::kind;
    header.record_size = sizeof(Record);
    header.token = token;
    header.origin = start;
    LedgerFile file(path, header);
    for (const Record& record : records) file.add(record);
  }
};

}  // namespace retrystorm
