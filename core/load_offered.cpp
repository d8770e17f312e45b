#include "core/load_offered.hpp"

#include "core/share.hpp"

#include <fmt/format.h>

namespace retrystorm {
namespace {

// What is not known to be a policy is a shortage: ledgers without reasons knew no other.
bool is_unsent_shortage(const ReasonRow& row) {
  return row.reason == Reason::none || unsent_kind(row.reason) == UnsentKind::shortage;
}
bool is_denied_by_shortage(const ReasonRow& row) {
  return unsent_kind(row.reason) == UnsentKind::shortage;
}

template <typename Is>
std::uint64_t sum_of(const ByReason<std::uint64_t>& by_reason, Is is) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (is(reasons[i])) sum += by_reason[i];
  }
  return sum;
}

// A reason as people read it. The machine's cap is set by what it has; the others name it.
std::string_view words_of(const ReasonRow& row) {
  switch (row.reason) {
    case Reason::none:
      return "without a reason";
    case Reason::in_flight_cap:
      return "in_flight_cap (by the descriptors or ports there are)";
    default:
      return row.name;
  }
}

// "1193 descriptors, 3 ports".
template <typename Is>
std::string listed(const ByReason<std::uint64_t>& by_reason, Is is) {
  std::string text;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (by_reason[i] == 0 || !is(reasons[i])) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", by_reason[i], words_of(reasons[i]));
  }
  return text;
}

std::string lag_above(std::string_view what, const Count& ms, double limit) {
  return fmt::format("send lag {} {:.3g} ms is above {:.3g} ms", what, ms.value_or(0), limit);
}

}  // namespace

std::uint64_t kept_back(const LoadOffered& load) {
  return sum_of(load.unsent, [](const ReasonRow& row) { return !is_unsent_shortage(row); });
}

std::uint64_t unsent_for_shortage(const LoadOffered& load) {
  return sum_of(load.unsent, is_unsent_shortage);
}

std::uint64_t retries_denied(const LoadOffered& load) {
  return sum_of(load.gave_up, is_denied_by_shortage);
}

std::vector<std::string> broken_load_limits(const LoadOffered& load, const TrustLimits& limits) {
  std::vector<std::string> broken;
  const std::uint64_t short_of = unsent_for_shortage(load);
  if (short_of > 0) {
    broken.push_back(fmt::format("{} of {} requests were unsent for a shortage: {}", short_of,
                                 load.offered, listed(load.unsent, is_unsent_shortage)));
  }
  if (const std::uint64_t denied = retries_denied(load); denied > 0) {
    broken.push_back(fmt::format("{} {} denied for a shortage: {}", denied,
                                 denied == 1 ? "retry was" : "retries were",
                                 listed(load.gave_up, is_denied_by_shortage)));
  }
  const auto told = static_cast<std::int64_t>(load.sent + kept_back(load) + short_of);
  if (!reaches(told, static_cast<std::int64_t>(load.offered), ppm - to_ppm(limits.rate_error))) {
    broken.push_back(fmt::format("sent {} of {} requests", load.sent, load.offered));
  }
  if (load.sent == 0) {
    broken.emplace_back("no first attempt was made, so nothing tells the send lag");
    return broken;
  }
  if (load.late > most_late(load.sent)) {
    broken.push_back(lag_above("p99", load.lag_p99_ms, limits.send_lag_p99_ms));
  }
  if (!load.lag_max_ms ||
      from_milliseconds(*load.lag_max_ms) > from_milliseconds(limits.send_lag_max_ms)) {
    broken.push_back(lag_above("max", load.lag_max_ms, limits.send_lag_max_ms));
  }
  return broken;
}

}  // namespace retrystorm
