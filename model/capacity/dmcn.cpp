#include "model/capacity/dmcn.hpp"

#include "model/capacity/band_chain.hpp"
#include "model/capacity/domain.hpp"
#include "model/capacity/poisson.hpp"

#include <algorithm>
#include <cmath>

namespace retrystorm::capacity {

DMcN dmcn(double arrivals_per_s, double services_per_s, std::int64_t servers, std::int64_t room,
          Meter* meter) {
  require_positive("dmcn", "arrivals_per_s", arrivals_per_s);
  require_positive("dmcn", "services_per_s", services_per_s);
  require_at_least("dmcn", "servers", static_cast<double>(servers), 1);
  require(room >= servers, "dmcn", "room", static_cast<double>(room),
          "be at least the number of servers");
  const auto c = static_cast<double>(servers);
  const double mean = c * services_per_s / arrivals_per_s;  // departures of busy servers
  const std::vector<double> events = poisson_pmf(mean, poisson_reach(mean, 1e-25));
  const auto last = static_cast<std::size_t>(room);
  const std::size_t reach = events.size();
  const double cost =
      static_cast<double>(last) * static_cast<double>(reach) * static_cast<double>(reach);
  require(cost < 3e10, "dmcn", "room x departures in an interval squared", cost,
          "be small enough to solve; use the simulation");

  BandChain chain(last + 1, reach, 1);
  std::vector<double> at(last + 1, 0.0);  // the law of the uniformized death chain
  for (std::size_t n = 0; n <= last; ++n) {
    const std::size_t start = std::min(n + 1, last);
    if (start >=
        static_cast<std::size_t>(servers) + reach) {  // all stay busy: departures are Poisson
      for (std::size_t k = 0; k < reach; ++k) {
        if (start - k != n) chain.at(n, start - k) = events[k];
      }
      continue;
    }
    const std::size_t lowest = start >= reach ? start - reach + 1 : 0;
    // Only there can anything be left of the state before, which started one lower.
    std::fill(at.begin() + static_cast<std::ptrdiff_t>(lowest > 1 ? lowest - 2 : 0),
              at.begin() + static_cast<std::ptrdiff_t>(start) + 1, 0.0);
    spend(meter,
          price::law_state * static_cast<double>(reach) * static_cast<double>(start - lowest + 1));
    at[start] = 1;
    for (std::size_t k = 0; k < reach; ++k) {
      const std::size_t down_to = start > k ? start - k : 0;
      for (std::size_t m = down_to; m <= start; ++m) {
        if (m != n && chain.holds(n, m)) chain.at(n, m) += events[k] * at[m];
      }
      // One event: a departure with probability min(m, c)/c, else nothing.
      for (std::size_t m = std::max(lowest, down_to > 0 ? down_to - 1 : 0); m <= start; ++m) {
        const double stay = at[m] * std::max(0.0, 1 - static_cast<double>(m) / c);
        const double come =
            m < start ? at[m + 1] * std::min(1.0, static_cast<double>(m + 1) / c) : 0;
        at[m] = stay + come;
      }
    }
  }
  DMcN result;
  result.found = std::move(chain).stationary(meter);
  result.p_block = result.found.back();
  return result;
}

}  // namespace retrystorm::capacity
