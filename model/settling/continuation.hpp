// The rule of docs/semantics.md ("Settled") for a run that can be carried on: its windows must have
// settled, and what comes after must go on in the same way. A plateau before a fall passes the
// first and not the second.
#pragma once

#include "core/settling.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace retrystorm {

inline constexpr int most_doublings = 6;            // of a run's length: 64 times
inline constexpr double continuation_share = 0.01;  // of the offered rate

// A run that can be carried on, seen in steps of equal length.
struct Prolonged {
  Windows run;               // its own, `count` of them
  Duration least{};          // the least length of a window
  std::size_t earliest = 0;  // the window from which on it may be settled
  double offered_per_s = 0;
  // The means of so many windows from the start on; nothing where they would cost too much.
  std::function<std::optional<WindowMeans>(std::size_t)> windows;
};

struct SettledSpan {
  std::size_t from = 0, to = 0;  // windows of the run's length
};

struct Continued {
  std::optional<SettledSpan> span;
  std::string unsettled_run;  // why the run itself is not settled; empty if it is
  std::string reason;         // why nothing is, however long
};

// Doubles the run until [D/2, D) agrees with [D, 2D); the run's own settled window if it agrees at
// once.
Continued settle(const Prolonged& run);

}  // namespace retrystorm
