// The timestamps of logs: of an access log as Apache and nginx write it, [10/Oct/2026:13:55:36
// +0000], and ISO 8601, 2026-10-10T13:55:36.250Z, its two parts in two columns if need be.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace retrystorm {

// Nanoseconds since 1970 UTC; `next` is the column behind it, where the time of a date or a zone
// may stand. Without a zone it is taken for UTC. Nothing for what is no timestamp, or is finer than
// a nanosecond.
std::optional<std::int64_t> parse_log_time(std::string_view column, std::string_view next);

}  // namespace retrystorm
