#include "model/markov/transient.hpp"

#include "model/capacity/domain.hpp"
#include "model/capacity/poisson.hpp"

#include <algorithm>
#include <cmath>

namespace retrystorm {

QueueInTime::QueueInTime(double services_per_s, std::int64_t servers, std::int64_t room,
                         std::int64_t start)
    : services_per_s_(services_per_s), servers_(static_cast<double>(servers)) {
  capacity::require_positive("QueueInTime", "services_per_s", services_per_s);
  capacity::require_at_least("QueueInTime", "servers", servers_, 1);
  capacity::require(room >= servers, "QueueInTime", "room", static_cast<double>(room),
                    "be at least the number of servers");
  capacity::require(start >= 0 && start <= room, "QueueInTime", "start", static_cast<double>(start),
                    "be from 0 to the room");
  const auto size = static_cast<std::size_t>(room) + 1;
  for (auto* v : {&p_, &integral_, &step_, &next_, &sum_, &area_, &stay_, &fall_})
    v->assign(size, 0.0);
  p_[static_cast<std::size_t>(start)] = 1;
}

void QueueInTime::advance(double seconds, double arrivals_per_s, Meter* meter) {
  capacity::require_at_least("QueueInTime::advance", "seconds", seconds, 0);
  capacity::require_at_least("QueueInTime::advance", "arrivals_per_s", arrivals_per_s, 0);
  if (seconds == 0) return;
  constexpr double events_a_block = 400;
  const double events = (arrivals_per_s + servers_ * services_per_s_) * seconds;
  const double blocks = std::ceil(events / events_a_block);
  for (double done = 0; done < blocks; ++done) {
    const double change = block(seconds / blocks, arrivals_per_s, meter);
    if (change < 1e-13) {  // converged to the last digit: the rest only adds to the integral
      const double rest = seconds * (blocks - done - 1) / blocks;
      for (std::size_t n = 0; n < p_.size(); ++n) integral_[n] += rest * p_[n];
      return;
    }
  }
}

double QueueInTime::block(double seconds, double arrivals_per_s, Meter* meter) {
  const double q = arrivals_per_s + servers_ * services_per_s_;
  const double mean = q * seconds;
  const double up = arrivals_per_s / q;
  const double down = services_per_s_ / q;
  const std::size_t last = p_.size() - 1;
  // Far enough for a chain that climbs from empty to full.
  const std::size_t reach = capacity::poisson_reach(mean, 1e-300) + last;
  const std::vector<double> weights = capacity::poisson_pmf(mean, reach);
  const std::vector<double> beyond = capacity::upper_sums(weights);  // P(events >= k)
  const std::size_t enough = std::min(reach, capacity::poisson_reach(mean, 1e-17));

  for (std::size_t n = 0; n <= last; ++n) {
    fall_[n] = down * std::min(static_cast<double>(n), servers_);
    stay_[n] = std::max(0.0, 1 - fall_[n] - (n < last ? up : 0));
  }
  step_ = p_;
  std::fill(sum_.begin(), sum_.end(), 0.0);
  std::fill(area_.begin(), area_.end(), 0.0);
  for (std::size_t k = 0; k < reach; ++k) {
    const double weight = weights[k];
    const double held = beyond[k + 1];
    bool digits_missing = false;
    spend(meter, price::law_state * static_cast<double>(last + 1));
    for (std::size_t n = 0; n <= last; ++n) {
      const double term = weight * step_[n];
      sum_[n] += term;
      area_[n] += held * step_[n];
    }
    if (k >= enough && k % 8 == 0) {
      for (std::size_t n = 0; n <= last && !digits_missing; ++n) {
        digits_missing = weight * step_[n] > 1e-18 * sum_[n];
      }
      if (!digits_missing) break;
    }
    // One event: an arrival, a departure, or nothing.
    next_[0] = stay_[0] * step_[0] + fall_[1] * step_[1];
    for (std::size_t n = 1; n < last; ++n) {
      next_[n] = up * step_[n - 1] + stay_[n] * step_[n] + fall_[n + 1] * step_[n + 1];
    }
    next_[last] = up * step_[last - 1] + stay_[last] * step_[last];
    std::swap(step_, next_);
  }
  double change = 0;
  for (std::size_t n = 0; n <= last; ++n) {
    if (sum_[n] > 0) change = std::max(change, std::abs(sum_[n] - p_[n]) / sum_[n]);
    p_[n] = sum_[n];
    integral_[n] += area_[n] / q;
  }
  return change;
}

void QueueInTime::arrive() {
  const std::size_t last = p_.size() - 1;
  p_[last] += p_[last - 1];
  for (std::size_t n = last - 1; n > 0; --n) p_[n] = p_[n - 1];
  p_[0] = 0;
}

double QueueInTime::mean_in_system() const {
  double mean = 0;
  for (std::size_t n = 0; n < p_.size(); ++n) mean += static_cast<double>(n) * p_[n];
  return mean;
}

double QueueInTime::completions() const {
  double busy = 0;
  for (std::size_t n = 0; n < p_.size(); ++n) {
    busy += std::min(static_cast<double>(n), servers_) * integral_[n];
  }
  return services_per_s_ * busy;
}

}  // namespace retrystorm
