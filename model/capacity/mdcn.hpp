// M/D/c/N, stationary: fixed work, Poisson arrivals, room for N in all. An approximation with a
// known error, because for 1 < c < N nothing exact is tractable: the state would have to hold the
// residual work of all c servers. Exact where it can be: c = 1 (md1n.hpp) and N = c (Erlang B).
//
// The chain at steps of one work time D: whatever is in service at t has left at t + D, and nothing
// that starts after t has, so L(t + D) = n - s + A - R with s = min(n, c), A Poisson(lambda D) and
// R the refusals. Only R depends on when in (t, t + D] the s departures fall. With W = the largest
// excess of departures over arrivals in a final stretch of the step, the room left at the end is
// max(room + s - A, W). If the departures fell like independent uniform instants, all orders of s
// departures and A = a arrivals would be equally likely and the ballot theorem (reflection) would
// give P(W > y | A = a) = C(a+s, a+y+1)/C(a+s, s). Real departures are more even than that and less
// even than equal spacing; that probability to the power 5/4 stands between the two.
//
// Known error against simulation of the exact sample path (the reference's ten cases of 2e8 to 2e9
// arrivals, and 150 of ours of 5e6, c = 2 ... 50), with a queue of at least c/2:
//   refusals   within 1 % from load 0.95 on (0.3 % from 1.02 on), 2 % at 0.9; at 0.7, where they
//   are
//              below 1e-3, up to 15 % too many
//   mean wait  within 1 % up to load 1.1, 6 % at 1.5
//   in time    within half a point up to load 1.05. In deeper overload and for a time limit that
//              falls within the last round of the queue up to 13 points off: no worker ever idles,
//              the departures stay as bunched as the start left them, and no stationary law knows
//              that.
// With a queue below c/4 refusals are up to 28 % too few (N = c is exact again). What else is
// published was 3 to 32 % off on the same cases (docs of the reference file).
#pragma once

#include "model/effort.hpp"

#include <cstdint>
#include <vector>

namespace retrystorm::capacity {

struct MDcN {
  std::vector<double> p;  // of n = 0 ... N in the system; also what an arrival finds
  double p_block = 0;
  double mean_in_system = 0;
  double mean_wait_accepted_s = 0;
  double p_no_wait_accepted = 0;
  bool exact = false;
};

// `arrivals_per_s`, `work_s` above 0, `room` N >= `servers` >= 1. Refuses sizes that would take
// minutes (about servers above 3,000 at saturation).
MDcN mdcn(double arrivals_per_s, double work_s, std::int64_t servers, std::int64_t room,
          Meter* meter = nullptr);

// P(sojourn > t) for an accepted arrival that finds n = 0 ... room - 1. Its wait is that for n -
// c + 1 departures: whole work times, which are exact, and a rest within one that depends on how
// the departures are spread: the mean of equal spacing and independent uniform instants (a Beta
// law). Exact where (t - work) is a multiple of the work.
std::vector<double> fixed_work_late_probabilities(double work_s, std::int64_t servers,
                                                  std::int64_t room, double seconds);

}  // namespace retrystorm::capacity
