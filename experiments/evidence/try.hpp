// One try of an arm: the note that `run` leaves beside its raw files (so that a killed run can be
// imported later), and what the ledger, the note and the limits of trust make of it.
#pragma once

#include "core/tally.hpp"
#include "experiments/evidence/process_end.hpp"
#include "experiments/evidence/reconcile.hpp"
#include "experiments/evidence/scraped.hpp"
#include "experiments/evidence/tally_from_ledger.hpp"
#include "experiments/evidence/trust.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace retrystorm {

// `running` in a note whose run is over means: killed.
enum class TryStatus : std::uint8_t { running, done, failed, interrupted, killed };
inline constexpr std::array<std::string_view, 5> try_status_names = {"running", "done", "failed",
                                                                     "interrupted", "killed"};
constexpr std::string_view name(TryStatus status) {
  return try_status_names[static_cast<std::size_t>(status)];
}

struct TryNote {
  TryKey key;
  std::int64_t repeat = 0;   // which of the repeats asked for it is a try of
  std::int64_t repeats = 1;  // how many were asked for
  std::uint64_t token = 0;
  TryStatus status = TryStatus::running;
  std::string failure;  // why it failed
  Scenario scenario;
  TrustLimits limits;
  std::optional<ProcessEnd> service, generator;
  boost::json::object service_said, generator_said;  // their own last words; empty without any
  boost::json::object environment;
  std::optional<Scraped> scraped;  // what Prometheus saw; nothing if none was asked
  LedgerDigests digests;           // of its raw files; empty: none were kept
  std::optional<Imported> imported;
};

// The digests that the processes told of, by their last words.
LedgerDigests told_digests(const TryNote& note);

// A judged try.
struct Try {
  TryKey key;
  std::int64_t repeat = 0;  // as in its note, as the next
  std::int64_t repeats = 1;
  TryStatus status = TryStatus::done;
  bool trusted = false;
  std::vector<std::string> reasons;   // why not trusted
  std::vector<std::string> warnings;  // what the processes had to say besides
  Tally tally;
  Opening opening;
  TrustLimits limits;  // what the figures were judged by
  TrustFigures trust;
  Reconciliation reconciliation;
  std::optional<Scraped> scraped;
  boost::json::object environment;
};

boost::json::value to_json(const TryNote& note);
// Throws InvalidInput naming `where`.
TryNote note_from_json(const boost::json::value& value, std::string_view where);

// Tallies, reconciles and judges an imported try, and writes the verdict into `arms`, and which
// repeat it is a try of.
Try judge(Database& database, const TryNote& note);

}  // namespace retrystorm
