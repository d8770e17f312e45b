#include "model/capacity/mdcn.hpp"

#include "model/capacity/band_chain.hpp"
#include "model/capacity/domain.hpp"
#include "model/capacity/md1n.hpp"
#include "model/capacity/mmcn.hpp"
#include "model/capacity/poisson.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/beta.hpp>

namespace retrystorm::capacity {
namespace {

// The arrivals of one step, cut where they no longer matter.
struct Arrivals {
  std::vector<double> pmf;
  std::vector<double> at_least;  // P(A >= a)
  std::vector<double> excess;    // E[(A - a + 1)^+]
  std::size_t fewest = 0;        // P(A < fewest) is nothing
};

Arrivals arrivals_of(double mean) {
  Arrivals a;
  a.pmf = poisson_pmf(mean, poisson_reach(mean, 1e-25));
  a.at_least = upper_sums(a.pmf);
  a.excess = upper_sums(a.at_least);
  double below = 0;
  while (below + a.pmf[a.fewest] < 1e-25) below += a.pmf[a.fewest++];
  return a;
}

double value_at(const std::vector<double>& list, std::size_t i) {
  return i < list.size() ? list[i] : 0;
}

// How far W reaches for `s` departures: where more than that has a probability below 1e-20 (for
// a >= s it falls as exp(-y^2/s); fewer arrivals add what is missing).
std::size_t reach_of_excess(const Arrivals& arrivals, std::size_t s) {
  const std::size_t drift = s > arrivals.fewest ? s - arrivals.fewest : 0;
  return std::min(s, drift + static_cast<std::size_t>(7 * std::sqrt(static_cast<double>(s))) + 5);
}

// One step of the chain from states with `s` departures, as far as refusals are possible.
class Step {
 public:
  // The sums over a >= x of pmf(a) P(W <= y | a) and pmf(a) P(W > y | a), for each y that W
  // reaches.
  Step(const Arrivals& arrivals, std::size_t s)
      : arrivals_(arrivals), s_(s), depth_(reach_of_excess(arrivals, s)) {
    const std::size_t reach = arrivals.pmf.size();
    within_.assign(depth_ * (reach + 1), 0.0);
    beyond_.assign(depth_ * (reach + 1), 0.0);
    std::vector<double> ballot(reach, 1.0);  // P(W > y | a) under uniform instants, y growing
    for (std::size_t y = 0; y < depth_; ++y) {
      double* const within = &within_[y * (reach + 1)];
      double* const beyond = &beyond_[y * (reach + 1)];
      for (std::size_t a = reach; a-- > 0;) {
        ballot[a] *= static_cast<double>(s - y) / static_cast<double>(a + y + 1);
        // Fewer than s - y arrivals end above y; those sums are never asked for.
        const double r = std::min(1.0, ballot[a]);
        const double p = r * std::sqrt(std::sqrt(r));  // to the power 5/4
        within[a] = within[a + 1] + arrivals.pmf[a] * (1 - p);
        beyond[a] = beyond[a + 1] + arrivals.pmf[a] * p;
      }
    }
  }

  // P(free at the end <= y) from `free`, y <= s.
  double free_at_most(std::size_t y, std::size_t free) const {
    const std::size_t fewest = s_ - y + free;
    if (y >= depth_) return value_at(arrivals_.at_least, fewest);
    return fewest < arrivals_.pmf.size() ? within_[index(y, fewest)] : 0;
  }

  // Expected refusals from `free`.
  double refusals(std::size_t free) const {
    double sum = value_at(arrivals_.excess, free + s_ + 1);
    for (std::size_t y = 0; y < depth_; ++y) {
      const std::size_t fewest = s_ - y + free;
      if (fewest < arrivals_.pmf.size()) sum += beyond_[index(y, fewest)];
    }
    return sum;
  }

 private:
  std::size_t index(std::size_t y, std::size_t a) const {
    return y * (arrivals_.pmf.size() + 1) + a;
  }

  const Arrivals& arrivals_;
  std::size_t s_;
  std::size_t depth_;
  std::vector<double> within_;
  std::vector<double> beyond_;
};

// Fills the row of state n; returns the expected refusals.
double fill_row(BandChain& chain, const Arrivals& arrivals, const Step* step, std::size_t n,
                std::size_t s, std::size_t room) {
  const std::size_t free = room - n;
  // Ends with more than s free: nothing was refused, the arrivals count themselves.
  const std::size_t most = std::min(free, arrivals.pmf.size());
  for (std::size_t a = arrivals.fewest; a < most; ++a) chain.at(n, n - s + a) = arrivals.pmf[a];
  if (!step || free >= arrivals.pmf.size()) return 0;
  double before = 0;
  for (std::size_t y = 0; y <= s && y <= room; ++y) {
    const double now = step->free_at_most(y, free);
    if (now > before && chain.holds(n, room - y)) chain.at(n, room - y) = now - before;
    before = now;
  }
  return step->refusals(free);
}

std::vector<double> solve(double mean, std::size_t c, std::size_t room, double& p_block,
                          Meter* meter) {
  const Arrivals arrivals = arrivals_of(mean);
  const std::size_t reach = arrivals.pmf.size();
  // A step from below c replaces all n by A; from c on it adds A - c.
  const std::size_t down = reach_of_excess(arrivals, c);
  const std::size_t up = reach;
  const double cost = static_cast<double>(room) * static_cast<double>(down) *
                      static_cast<double>(up > c ? up - c + down : up);
  require(cost < 3e10, "mdcn", "servers x room x arrivals in a work time", cost,
          "be small enough to solve; use the simulation");
  BandChain chain(room + 1, down, up);
  std::vector<double> refusals(room + 1, 0.0);
  const Step full(arrivals, c);
  for (std::size_t n = 0; n <= room; ++n) {
    const std::size_t s = std::min(n, c);
    if (s == c) {
      refusals[n] = fill_row(chain, arrivals, &full, n, s, room);
    } else if (room - n < reach) {
      const Step partial(arrivals, s);
      spend(meter, 2 * price::band_product * static_cast<double>(reach) *
                       static_cast<double>(reach_of_excess(arrivals, s)));
      refusals[n] = fill_row(chain, arrivals, &partial, n, s, room);
    } else {
      fill_row(chain, arrivals, nullptr, n, s, room);
    }
  }
  std::vector<double> p = std::move(chain).stationary(meter);
  // Refusals per arrival, which beats p_N: it is exact in overload, where p_N is not. p_N takes its
  // value, and the others what is left.
  double refused = 0;
  for (std::size_t n = 0; n <= room; ++n) refused += p[n] * refusals[n];
  p_block = refused / mean;
  const double scale = (1 - p_block) / (1 - p.back());
  for (double& v : p) v *= scale;
  p.back() = p_block;
  return p;
}

}  // namespace

MDcN mdcn(double arrivals_per_s, double work_s, std::int64_t servers, std::int64_t room,
          Meter* meter) {
  require_positive("mdcn", "arrivals_per_s", arrivals_per_s);
  require_positive("mdcn", "work_s", work_s);
  require_at_least("mdcn", "servers", static_cast<double>(servers), 1);
  require(room >= servers, "mdcn", "room", static_cast<double>(room),
          "be at least the number of servers");
  MDcN m;
  if (room == servers) {
    m.p = mmcn_probabilities(arrivals_per_s, 1 / work_s, servers, room);  // insensitive to work
    m.p_block = m.p.back();
    m.exact = true;
  } else if (servers == 1) {
    MD1N one = md1n(arrivals_per_s, work_s, room, meter);
    m.p = std::move(one.p);
    m.p_block = one.p_block;
    m.exact = true;
  } else {
    m.p = solve(arrivals_per_s * work_s, static_cast<std::size_t>(servers),
                static_cast<std::size_t>(room), m.p_block, meter);
  }
  double queue = 0;
  double free = 0;
  for (std::size_t n = 0; n < m.p.size(); ++n) {
    const auto in_system = static_cast<double>(n);
    const auto c = static_cast<double>(servers);
    m.mean_in_system += in_system * m.p[n];
    queue += std::max(0.0, in_system - c) * m.p[n];
    if (in_system < c) free += m.p[n];
  }
  m.mean_wait_accepted_s = queue / (arrivals_per_s * (1 - m.p_block));
  m.p_no_wait_accepted = free / (1 - m.p_block);
  return m;
}

std::vector<double> fixed_work_late_probabilities(double work_s, std::int64_t servers,
                                                  std::int64_t room, double seconds) {
  require_positive("fixed_work_late_probabilities", "work_s", work_s);
  require_at_least("fixed_work_late_probabilities", "servers", static_cast<double>(servers), 1);
  require_at_least("fixed_work_late_probabilities", "room", static_cast<double>(room), 0);
  require_at_least("fixed_work_late_probabilities", "seconds", seconds, 0);
  const auto c = static_cast<double>(servers);
  // In work times. The slack is for T and S that are multiples in decimal but not in binary.
  const double wait = seconds / work_s - 1 + 1e-9;
  std::vector<double> late(static_cast<std::size_t>(room), 1.0);
  for (std::size_t n = 0; n < late.size(); ++n) {
    const auto found = static_cast<std::int64_t>(n);
    if (wait < 0) continue;
    if (found < servers) {
      late[n] = 0;
      continue;
    }
    const std::int64_t ahead = found - servers;
    const double rest = wait - static_cast<double>(ahead / servers);  // of the last, partial round
    if (rest < 1e-8) continue;
    if (rest >= 1) {
      late[n] = 0;
      continue;
    }
    const auto order = static_cast<double>(ahead % servers + 1);  // which departure of the round
    const double even = std::clamp(rest * c - (order - 1), 0.0, 1.0);
    late[n] = 1 - (even + boost::math::ibeta(order, c - order + 1, rest)) / 2;
  }
  return late;
}

}  // namespace retrystorm::capacity
