// D/D/c/N: even arrivals, fixed work. No chance is left, so everything follows from arithmetic on
// rounds: above saturation no worker ever idles, and job i = kc + j of the admitted (k its round)
// ends at (k + 1) S + j d, d the interval between arrivals. (Without a queue a worker does idle,
// until the next arrival; then a round takes the next whole number of intervals.) This file knows
// one service and its schedule; timeouts, windows and counts of a run are the fluid engine's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace retrystorm::capacity {

// ceil(x), except that a value within a millionth of a whole number is that number: instants that
// coincide in decimal must coincide here.
inline double tied_ceil(double x) {
  const double whole = std::round(x);
  return std::abs(x - whole) < 1e-6 ? whole : std::ceil(x);
}

// Arrival i comes at i x interval_s from an empty service.
struct DDcN {
  double interval_s = 0;
  double work_s = 0;
  std::int64_t servers = 0;
  std::int64_t room = 0;  // of the system, those in work included; at least `servers`

  // Throws std::domain_error unless the values make sense.
  void check() const;
  // More work arrives than the servers can do.
  bool overloaded() const;
  // How many of the first `arrivals` are admitted (all of them are served).
  double admitted(double arrivals) const;
  // The share of arrivals refused in the long run.
  double refused_share() const;
  // Overloaded without a queue, a worker that has ended idles until the next arrival: each round of
  // `servers` jobs takes this many whole intervals.
  double intervals_a_round() const;
};

// Jobs of one round with the same sojourn, admitted one interval apart.
struct EvenGroup {
  double count = 0;
  double first_admitted_s = 0;
  double sojourn_s = 0;
};

// Calls visit(EvenGroup) for the rounds `first_round` ... of `admitted` jobs in all. With
// `settled`, as if the service had been full for ever.
//
// The system is full from some job on; then job i is admitted by the first arrival at or after the
// end of job i - N. N = mc + r: the jobs j < r of round k follow round k - m - 1, the others k - m.
template <typename Visit>
void visit_rounds(const DDcN& q, double first_round, double admitted, bool settled, Visit&& visit) {
  if (!q.overloaded()) {
    visit(EvenGroup{admitted, 0, q.work_s});
    return;
  }
  const auto c = static_cast<double>(q.servers);
  if (q.room == q.servers) {
    for (double k = first_round; k * c < admitted; ++k) {
      visit(EvenGroup{std::min(c, admitted - k * c), k * q.intervals_a_round() * q.interval_s,
                      q.work_s});
    }
    return;
  }
  const double m = std::floor(static_cast<double>(q.room) / c);
  const double r = static_cast<double>(q.room) - m * c;
  const auto group = [&](double k, double j, double end, double follows, double shift) {
    if (end <= j) return;
    double admitted_as = k * c;  // arrival number minus j
    if (settled || follows >= 0) {
      const double freed = tied_ceil((follows + 1) * q.work_s / q.interval_s) + shift;
      admitted_as = settled ? freed : std::max(admitted_as, freed);
    }
    const double at = (admitted_as + j) * q.interval_s;
    visit(EvenGroup{end - j, at, (k + 1) * q.work_s + j * q.interval_s - at});
  };
  for (double k = first_round; k * c < admitted; ++k) {
    const double size = std::min(c, admitted - k * c);
    group(k, 0, std::min(r, size), k - m - 1, c - r);
    group(k, r, size, k - m, -r);
  }
}

}  // namespace retrystorm::capacity
