#include "experiments/run/run_progress.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// "40 s", "12 min", "3.5 h": as exactly as anybody waits.
std::string about(Duration length) {
  const double s = std::max(seconds(length), 0.0);
  if (s < 99.5) return fmt::format("{:.0f} s", std::ceil(s));
  if (s < 99.5 * 60) return fmt::format("{:.0f} min", s / 60);
  return fmt::format("{:.1f} h", s / 3600);
}

std::string place(const Progress& progress) {
  return fmt::format("[{} of {}]", progress.number, progress.of);
}

}  // namespace

std::string progress_line(const Progress& progress, std::size_t width) {
  const std::string again =
      progress.again > 0 ? fmt::format(", try {}", progress.again + 1) : std::string();
  const std::string end =
      fmt::format("{}  {:.0f} of {:g} s, about {} left", again, seconds(progress.elapsed),
                  seconds(progress.duration), about(progress.left));
  const std::string begin = place(progress) + " ";
  // The arm's name gives way; the last column stays free, since some terminals wrap there.
  const std::size_t taken = begin.size() + end.size() + 1;
  const std::size_t room = width > taken ? width - taken : 0;
  std::string arm = printable(progress.arm, 400);
  if (arm.size() > room) arm = room > 3 ? arm.substr(0, room - 3) + "..." : std::string();
  return begin + arm + end;
}

std::string judged_line(const Progress& progress, bool terminal) {
  const Try& made = *progress.judged;
  if (terminal && made.trusted) return {};
  std::string line = fmt::format("{} {}: ", place(progress), printable(progress.arm, 400));
  if (made.trusted) {
    line += fmt::format("measured in {:.1f} s", seconds(progress.elapsed));
  } else {
    line += progress.will_repeat             ? "measured again, since it is not trusted"
            : made.status == TryStatus::done ? "not trusted"
                                             : "not measured";
    std::string why;
    for (const std::string& reason : made.reasons) why += (why.empty() ? ": " : "; ") + reason;
    line += printable(why, 600);
  }
  if (!progress.will_repeat && progress.number < progress.of && !terminal) {
    line += fmt::format("; about {} left", about(progress.left));
  }
  return line;
}

}  // namespace retrystorm
