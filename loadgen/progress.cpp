#include "loadgen/progress.hpp"

#include <fmt/format.h>

namespace retrystorm::loadgen {

std::string Progress::line(const std::vector<const LiveCounts*>& live, Duration elapsed) {
  Sample now{elapsed, 0, 0, {}};
  std::uint64_t offered = 0, attempts = 0, rejected = 0, timed_out = 0, in_flight = 0;
  for (const LiveCounts* counts : live) {
    offered += counts->offered.read();
    attempts += counts->attempts.read();
    rejected += counts->ended_so(AttemptOutcome::rejected);
    timed_out += counts->ended_so(AttemptOutcome::timed_out);
    in_flight += counts->in_flight();
    now.succeeded += counts->ended_so(RequestOutcome::succeeded);
    now.lag += Duration(static_cast<std::int64_t>(counts->send_lag.sum()));
    for (std::size_t b = 0; b <= BucketBounds::most; ++b) now.sent += counts->send_lag.count(b);
  }
  const Sample& before = recent_[next_];  // the oldest, a second ago; zero at first
  const double passed = seconds(now.at - before.at);
  const double goodput =
      passed > 0 ? static_cast<double>(now.succeeded - before.succeeded) / passed : 0;
  const std::uint64_t sent = now.sent - before.sent;
  const double lag = sent > 0 ? milliseconds(now.lag - before.lag) / static_cast<double>(sent) : 0;
  recent_[next_] = now;
  next_ = (next_ + 1) % recent_.size();
  return fmt::format(
      "{:6.1f} s  offered {}  goodput {:.0f}/s  attempts {}  rejected {}  timed out {}  "
      "in flight {}  lag {:.2f} ms",
      seconds(elapsed), offered, goodput, attempts, rejected, timed_out, in_flight, lag);
}

}  // namespace retrystorm::loadgen
