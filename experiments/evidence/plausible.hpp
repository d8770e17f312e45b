// Whether the instants of a ledger's record can be: none before what it follows on, none outside
// the run. What is not so was damaged; what is so may still be, which a digest finds.
#pragma once

#include "core/record.hpp"
#include "core/scenario.hpp"

#include <cstdint>
#include <string_view>

namespace retrystorm {

// On the clock of the records, ns.
struct RunBounds {
  std::int64_t origin = 0;      // the schedule's start
  std::int64_t last_offer = 0;  // the latest instant that a request can be scheduled at
  std::int64_t from = 0;        // nothing happened before: service and strangers precede the origin
  std::int64_t to = 0;          // nor after, however long draining took
};
RunBounds bounds_of(const Scenario& scenario, std::int64_t origin);

// What of the record cannot be, "ended before it was sent"; empty if all can.
std::string_view implausible(const AttemptRecord& record, const RunBounds& run);
std::string_view implausible(const RequestRecord& record, const RunBounds& run);
std::string_view implausible(const ArrivalRecord& record, const RunBounds& run);

}  // namespace retrystorm
