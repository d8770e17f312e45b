// The rules of dashboards/rules for runs of seconds instead of services of months: every window and
// waiting time divided by one factor, nothing else changed. So there is one source, and the
// ratios that the alerts look at mean the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace retrystorm {

// For runs of some seconds, scraped every 250 ms: 5 min become 1 s (four scrapes, the least that
// gives a rate), 1 h become 12 s.
inline constexpr std::uint64_t short_run_factor = 300;

// The rule file with each range in an expression ([5m]) and each waiting time (for,
// keep_firing_for, interval) divided by `factor` (at least 1). Names and labels keep the windows of
// the source: they name the rule, not its length. Throws InvalidInput naming `where` for a duration
// that cannot be divided down to a whole millisecond.
std::string scale_rules(std::string_view rules, std::uint64_t factor, std::string_view where);

}  // namespace retrystorm
