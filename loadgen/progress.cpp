#include "loadgen/progress.hpp"

#include "core/number_text.hpp"

#include <fmt/format.h>

namespace retrystorm::loadgen {

std::string Progress::line(const LiveCounts& all, Duration elapsed) {
  Sample now{elapsed, all.ended_so(RequestOutcome::succeeded), 0,
             Duration(static_cast<std::int64_t>(all.send_lag.sum()))};
  for (std::size_t b = 0; b <= BucketBounds::most; ++b) now.sent += all.send_lag.count(b);
  const Sample& before = recent_[next_];  // the oldest, a second ago; zero at first
  const double passed = seconds(now.at - before.at);
  const double goodput =
      passed > 0 ? static_cast<double>(now.succeeded - before.succeeded) / passed : 0;
  const std::uint64_t sent = now.sent - before.sent;
  const double lag = sent > 0 ? milliseconds(now.lag - before.lag) / static_cast<double>(sent) : 0;
  recent_[next_] = now;
  next_ = (next_ + 1) % recent_.size();
  return fmt::format(
      "{:6.1f} s  offered {}  goodput {}/s  attempts {}  rejected {}  timed out {}  "
      "in flight {}  lag {:.2f} ms",
      seconds(elapsed), all.offered.read(), plain_rate_text(goodput), all.attempts.read(),
      all.ended_so(AttemptOutcome::rejected), all.ended_so(AttemptOutcome::timed_out),
      all.in_flight(), lag);
}

}  // namespace retrystorm::loadgen
