#include "model/capacity/ddcn.hpp"

#include "model/capacity/domain.hpp"

namespace retrystorm::capacity {

void DDcN::check() const {
  require_positive("DDcN", "interval_s", interval_s);
  require_positive("DDcN", "work_s", work_s);
  require_at_least("DDcN", "servers", static_cast<double>(servers), 1);
  require(room >= servers, "DDcN", "room", static_cast<double>(room),
          "be at least the number of servers");
}

bool DDcN::overloaded() const {
  return work_s > static_cast<double>(servers) * interval_s * (1 + 1e-12);
}

double DDcN::intervals_a_round() const {
  return tied_ceil(work_s / interval_s);
}

double DDcN::refused_share() const {
  if (!overloaded()) return 0;
  const double round = room == servers ? intervals_a_round() : work_s / interval_s;
  return 1 - static_cast<double>(servers) / round;
}

double DDcN::admitted(double arrivals) const {
  if (!overloaded() || arrivals <= 0) return std::max(0.0, arrivals);
  if (room == servers) {
    const double round = intervals_a_round();
    const double whole = std::floor(arrivals / round);
    const auto most = static_cast<double>(servers);
    return whole * most + std::min(most, arrivals - whole * round);
  }
  // At most one job ends between two arrivals, so that the number in the system never falls from
  // one arrival to the next, and once full the service is full after every arrival.
  const auto c = static_cast<double>(servers);
  const double last = (arrivals - 1) * interval_s;
  // Ended by `last`: round k's job j at (k + 1) S + j d. All of a round, then part of the next.
  const double slack = 1e-6 * interval_s;
  const double rounds = std::max(0.0, std::floor((last - (c - 1) * interval_s + slack) / work_s));
  const double into = last - (rounds + 1) * work_s + slack;
  const double part = into >= 0 ? std::min(c, std::floor(into / interval_s) + 1) : 0;
  return std::min(arrivals, rounds * c + part + static_cast<double>(room));
}

}  // namespace retrystorm::capacity
