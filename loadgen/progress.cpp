#include "loadgen/progress.hpp"

#include "core/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace retrystorm::loadgen {

namespace {

// A part of the line, and who goes first where there is no room for all: 1, then 2, ...; 0 stays.
struct Part {
  std::string text;
  int leave;
};

std::string parts_in(std::size_t width, const std::vector<Part>& parts) {
  for (int gone = 0;; ++gone) {
    std::string line;
    bool more = false;
    for (const Part& part : parts) {
      more = more || part.leave > gone;
      if (part.leave != 0 && part.leave <= gone) continue;
      line += (line.empty() ? "" : "  ") + part.text;
    }
    // The last column stays free: some terminals wrap once it is written.
    if (line.size() < width || !more) return line;
  }
}

}  // namespace

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
  const double left = std::ceil(seconds(duration_ - elapsed));
  return parts_in(
      width_,
      {{fmt::format("{:.1f} of {:g} s, {}", std::max(seconds(elapsed), 0.0), seconds(duration_),
                    left > 0 ? fmt::format("{:.0f} s left", left) : "draining"),
        0},
       {fmt::format("offered {}", all.offered.read()), 6},
       {fmt::format("goodput {}/s", plain_rate_text(goodput)), 0},
       {fmt::format("attempts {}", all.attempts.read()), 1},
       {fmt::format("rejected {}", all.ended_so(AttemptOutcome::rejected)), 4},
       {fmt::format("timed out {}", all.ended_so(AttemptOutcome::timed_out)), 5},
       {fmt::format("in flight {}", all.in_flight()), 3},
       {fmt::format("lag {:.2f} ms", lag), 2}});
}

}  // namespace retrystorm::loadgen
