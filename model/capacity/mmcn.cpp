#include "model/capacity/mmcn.hpp"

#include "model/capacity/domain.hpp"
#include "model/capacity/sojourn.hpp"

#include <algorithm>
#include <cmath>

namespace retrystorm::capacity {

std::vector<double> mmcn_probabilities(double arrivals_per_s, double services_per_s,
                                       std::int64_t servers, std::int64_t room) {
  require_positive("mmcn", "arrivals_per_s", arrivals_per_s);
  require_positive("mmcn", "services_per_s", services_per_s);
  require_at_least("mmcn", "servers", static_cast<double>(servers), 1);
  require(room >= servers, "mmcn", "room", static_cast<double>(room),
          "be at least the number of servers");
  const double a = arrivals_per_s / services_per_s;
  // The mode: from it the products only shrink, so nothing overflows and what underflows is
  // nothing.
  const auto c = static_cast<double>(servers);
  const std::int64_t mode = a >= c ? room : static_cast<std::int64_t>(a);
  const auto size = static_cast<std::size_t>(room) + 1;
  std::vector<double> p(size);
  const auto top = static_cast<std::size_t>(mode);
  p[top] = 1;
  for (std::size_t n = top; n > 0; --n) {
    p[n - 1] = p[n] * std::min(static_cast<double>(n), c) / a;
  }
  for (std::size_t n = top + 1; n < size; ++n) {
    p[n] = p[n - 1] * a / std::min(static_cast<double>(n), c);
  }
  double sum = 0;
  for (const double v : p) sum += v;
  for (double& v : p) v /= sum;
  return p;
}

MMcN mmcn(double arrivals_per_s, double services_per_s, std::int64_t servers, std::int64_t room) {
  MMcN m;
  m.p = mmcn_probabilities(arrivals_per_s, services_per_s, servers, room);
  const auto c = static_cast<double>(servers);
  double busy = 0;
  double waiting = 0;
  for (std::size_t n = 0; n < m.p.size(); ++n) {
    const auto in_system = static_cast<double>(n);
    m.mean_in_system += in_system * m.p[n];
    m.mean_queue += std::max(0.0, in_system - c) * m.p[n];
    busy += std::min(in_system, c) * m.p[n];
    if (in_system >= c && n + 1 < m.p.size()) waiting += m.p[n];
  }
  m.p_block = m.p.back();
  m.utilisation = busy / c;
  m.throughput_per_s = busy * services_per_s;
  m.p_wait_accepted = waiting * arrivals_per_s / m.throughput_per_s;
  m.mean_wait_accepted_s = m.mean_queue / m.throughput_per_s;
  m.mean_sojourn_accepted_s = m.mean_in_system / m.throughput_per_s;
  return m;
}

double mmcn_goodput_per_s(const MMcN& state, double arrivals_per_s, double services_per_s,
                          std::int64_t servers, double seconds) {
  const auto room = static_cast<std::int64_t>(state.p.size()) - 1;
  const auto late = late_probabilities(services_per_s, servers, room, seconds);
  double in_time = 0;
  for (std::size_t n = 0; n < late.size(); ++n) in_time += state.p[n] * (1 - late[n]);
  return arrivals_per_s * in_time;
}

}  // namespace retrystorm::capacity
