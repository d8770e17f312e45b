// Why a request gave up or was not sent, why an arrival was refused or skipped, what an io_error or
// a connect_error was: one row for each reason, from which replies, metrics, ledgers, reports and
// documents take what they say. Ledgers hold the numbers: a new reason is appended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace retrystorm {

enum class Reason : std::uint8_t {
  none,
  attempts_used_up,
  interrupted,
  in_flight_cap,
  ports,
  descriptors,
  memory,
  queue_full,
  draining,
  reset,
  early_close,
  stale,
  bad_reply,
  cost_exceeds_capacity,
  concurrency_limit,
  rate_limit,
  in_flight_limit,
  resources,
  long_header,
  bad_header,
  bad_length,
  bad_chunk,
  connection_refused,
  unreachable,
  connect_failed,
  not_retryable,
  client_deadline,
  budget_exhausted,
  breaker_open,
  throttled,
  retry_breaker,
  injected,
};

// What a reason can explain, as a set.
enum ReasonKind : std::uint8_t {
  explains_nothing = 0,
  explains_request = 1,         // gave_up, unsent
  explains_refusal = 2,         // of an arrival by the service
  explains_io_error = 4,        // of an attempt
  needs_admission = 8,          // a refusal that only an AdmissionPolicy gives
  is_shortage = 16,             // something of the generator's ran out: the service was never asked
  explains_no_connection = 32,  // connect_error of an attempt
};

struct ReasonRow {
  Reason reason;
  std::string_view name;
  std::uint8_t kinds;
  std::string_view help;
  // What a refusal answers: an HTTP status and a body; 0 for what answers nobody.
  int status = 0;
  std::string_view text = {};
};

inline constexpr std::array reasons = {
    ReasonRow{Reason::none, "none", explains_nothing, "no reason is called for"},
    ReasonRow{Reason::attempts_used_up, "attempts_used_up", explains_request,
              "no attempt was left"},
    ReasonRow{Reason::interrupted, "interrupted", explains_request, "sending had ended"},
    ReasonRow{Reason::in_flight_cap, "in_flight_cap", explains_request | is_shortage,
              "as many attempts were in flight as the machine allows"},
    ReasonRow{Reason::ports, "ports", explains_request | is_shortage, "no local port was free"},
    ReasonRow{Reason::descriptors, "descriptors", explains_request | is_shortage,
              "the limit of descriptors was reached"},
    ReasonRow{Reason::memory, "memory", explains_request | is_shortage, "no memory for a socket"},
    ReasonRow{Reason::queue_full, "queue_full", explains_refusal, "every waiting place was taken",
              503, "queue full\n"},
    ReasonRow{Reason::draining, "draining", explains_refusal, "the service was shutting down", 503,
              "shutting down\n"},
    ReasonRow{Reason::reset, "reset", explains_io_error, "the connection was reset"},
    ReasonRow{Reason::early_close, "early_close", explains_io_error,
              "the connection was closed before a whole reply"},
    ReasonRow{Reason::stale, "stale", explains_io_error,
              "a reused connection had already been closed"},
    ReasonRow{Reason::bad_reply, "bad_reply", explains_io_error,
              "the reply does not begin as one of HTTP/1"},
    // In the order in which the policy looks at them.
    ReasonRow{Reason::cost_exceeds_capacity, "cost_exceeds_capacity",
              explains_refusal | needs_admission, "no bucket of this size could ever pay for it",
              503, "cost exceeds capacity\n"},
    ReasonRow{Reason::concurrency_limit, "concurrency_limit", explains_refusal | needs_admission,
              "as many as may be were in flight", 503, "too many in flight\n"},
    ReasonRow{Reason::rate_limit, "rate_limit", explains_refusal | needs_admission,
              "too few tokens were in the bucket", 503, "over the rate limit\n"},
    ReasonRow{Reason::in_flight_limit, "in_flight_limit", explains_request,
              "max_in_flight, as it was set, attempts were in flight"},
    ReasonRow{Reason::resources, "resources", explains_refusal,
              "the service had no memory for one more", 503, "out of resources\n"},
    ReasonRow{Reason::long_header, "long_header", explains_io_error,
              "the reply's header is longer than 64 KiB, the most that is read"},
    ReasonRow{Reason::bad_header, "bad_header", explains_io_error,
              "a field of the reply's header is not as HTTP has it"},
    ReasonRow{Reason::bad_length, "bad_length", explains_io_error,
              "the reply's Content-Length or Transfer-Encoding is wrong, or there are several"},
    ReasonRow{Reason::bad_chunk, "bad_chunk", explains_io_error,
              "a chunk of the reply's body is not as HTTP has it"},
    ReasonRow{Reason::connection_refused, "connection_refused", explains_no_connection,
              "nobody listens at the address"},
    ReasonRow{Reason::unreachable, "unreachable", explains_no_connection,
              "there is no way to the address"},
    ReasonRow{Reason::connect_failed, "connect_failed", explains_no_connection,
              "connect() failed in another way"},
    ReasonRow{Reason::not_retryable, "not_retryable", explains_request,
              "the last outcome is not one after which it is retried"},
    ReasonRow{Reason::client_deadline, "client_deadline", explains_request,
              "the deadline over all attempts left no time for another"},
    ReasonRow{Reason::budget_exhausted, "budget_exhausted", explains_request,
              "the retry budget was spent"},
    ReasonRow{Reason::breaker_open, "breaker_open", explains_request,
              "the circuit breaker kept it back"},
    ReasonRow{Reason::throttled, "throttled", explains_request,
              "the adaptive throttle kept it back"},
    ReasonRow{Reason::retry_breaker, "retry_breaker", explains_request,
              "too many first tries had failed for the retry breaker"},
    // Its status is what service.fail_status says.
    ReasonRow{Reason::injected, "injected", explains_refusal, "it was to fail on purpose", 503,
              "failed on purpose\n"},
};

// One value for each reason.
template <typename T>
using ByReason = std::array<T, reasons.size()>;

constexpr const ReasonRow& row_of(Reason reason) {
  return reasons[static_cast<std::size_t>(reason)];
}
constexpr std::string_view name(Reason reason) {
  return row_of(reason).name;
}
// A refusal that a service without an admission policy can give: its counters and metrics have no
// place for the others, which could only be 0.
constexpr bool refuses_without_admission(const ReasonRow& row) {
  return (row.kinds & explains_refusal) != 0 && (row.kinds & needs_admission) == 0;
}

namespace detail {
constexpr bool reasons_in_order() {
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (static_cast<std::size_t>(reasons[i].reason) != i || reasons[i].help.empty()) return false;
    const bool refuses = (reasons[i].kinds & explains_refusal) != 0;
    if (refuses != (reasons[i].status != 0 && !reasons[i].text.empty())) return false;
  }
  return true;
}
constexpr auto make_reason_names() {
  ByReason<std::string_view> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = reasons[i].name;
  return names;
}
}  // namespace detail
// A reason without its row, out of order, or a refusal that does not say what it answers.
static_assert(detail::reasons_in_order() &&
              static_cast<std::size_t>(Reason::injected) + 1 == reasons.size());

inline constexpr ByReason<std::string_view> reason_names = detail::make_reason_names();

// Of what kind the reason of an unsent request is. A shortage of the generator's own makes the run
// untrusted, and the request is not eligible in the error budget; what a policy kept back was
// offered, is trusted, and is burnt like any other failure.
enum class UnsentKind : std::uint8_t { shortage, policy };
inline constexpr std::array<std::string_view, 2> unsent_kind_names = {"shortage", "policy"};

constexpr UnsentKind unsent_kind(Reason reason) {
  return (row_of(reason).kinds & is_shortage) != 0 ? UnsentKind::shortage : UnsentKind::policy;
}
constexpr std::string_view name(UnsentKind kind) {
  return unsent_kind_names[static_cast<std::size_t>(kind)];
}

}  // namespace retrystorm
