// How attempts, requests and arrivals end: closed sets with one name each, the same in code, flags,
// TOML, SQL, JSON and metrics. docs: semantics of every word in docs/semantics.md.
#pragma once

#include "core/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace retrystorm {

// How an attempt ended, in the client's view.
enum class AttemptOutcome : std::uint8_t {
  succeeded,      // 2xx in time
  rejected,       // 503 or 429
  timed_out,      // no reply within the timeout
  failed_status,  // any other status
  connect_error,  // no connection came about
  io_error,       // reset, early close, unreadable reply
  unfinished,     // cut off by a horizon, a drain limit or an interrupt
};
inline constexpr std::array<std::string_view, 7> attempt_outcome_names = {
    "succeeded",     "rejected", "timed_out", "failed_status",
    "connect_error", "io_error", "unfinished"};

// What the reply to a failed attempt said, for whoever decides on a retry.
struct AttemptAnswer {
  std::uint16_t status = 0;             // of HTTP; 0: there was no reply
  std::optional<Duration> retry_after;  // its Retry-After, from the reply on
};

// How a request ended.
enum class RequestOutcome : std::uint8_t {
  succeeded,   // one of its attempts did
  gave_up,     // its last attempt had failed and no retry was sent
  unsent,      // no attempt could be made at all
  unfinished,  // in flight or in backoff at the cut
};
inline constexpr std::array<std::string_view, 4> request_outcome_names = {"succeeded", "gave_up",
                                                                          "unsent", "unfinished"};

// What became of an arrival, in the service's view. "Abandoned" is none of these but a judgement of
// both sides: completed for an attempt that had timed out. It is not reneging (queueing theory's
// abandonment), where a customer leaves the queue before being served and the work is never done.
enum class Disposition : std::uint8_t {
  completed,
  refused,     // queue full or admission said no
  skipped,     // left the queue unserved
  unfinished,  // still queued or in work when the service stopped
};
inline constexpr std::array<std::string_view, 4> disposition_names = {"completed", "refused",
                                                                      "skipped", "unfinished"};

// When the service saw that the client of a completed request had gone.
enum class SeenGone : std::uint8_t { no, at_reply, later };
inline constexpr std::array<std::string_view, 3> seen_gone_names = {"no", "at_reply", "later"};

constexpr std::string_view name(AttemptOutcome v) {
  return attempt_outcome_names[static_cast<std::size_t>(v)];
}
constexpr std::string_view name(RequestOutcome v) {
  return request_outcome_names[static_cast<std::size_t>(v)];
}
constexpr std::string_view name(Disposition v) {
  return disposition_names[static_cast<std::size_t>(v)];
}
constexpr std::string_view name(SeenGone v) {
  return seen_gone_names[static_cast<std::size_t>(v)];
}

// How an attempt ends whose reply has that status.
constexpr AttemptOutcome outcome_of(unsigned status) {
  if (status / 100 == 2) return AttemptOutcome::succeeded;
  if (status == 503 || status == 429) return AttemptOutcome::rejected;
  return AttemptOutcome::failed_status;
}

// A set of attempt outcomes, for `retry_on`.
class OutcomeSet {
 public:
  constexpr OutcomeSet() = default;
  template <typename... Outcomes>
  static constexpr OutcomeSet of(Outcomes... outcomes) {
    OutcomeSet set;
    (set.insert(outcomes), ...);
    return set;
  }
  constexpr void insert(AttemptOutcome o) { bits_ |= bit(o); }
  constexpr bool contains(AttemptOutcome o) const { return (bits_ & bit(o)) != 0; }
  friend constexpr bool operator==(OutcomeSet, OutcomeSet) = default;

 private:
  static constexpr std::uint32_t bit(AttemptOutcome o) { return 1U << static_cast<unsigned>(o); }
  std::uint32_t bits_ = 0;
};

}  // namespace retrystorm
