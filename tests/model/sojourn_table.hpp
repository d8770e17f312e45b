// The law of a sojourn with exponential work by brute force, to hold the closed ones against: what
// an arrival finds, waited for and worked off in small steps of time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace retrystorm {

class SojournTable {
 public:
  // found[n]: the weight of arrivals that find n; times up to `seconds`. A job that k ends of the
  // c busy servers let start has ended by t + h with F_k(t + h) = e^{-mu h} F_k(t) + the integral
  // of mu e^{-mu (t + h - x)} P(k ends by x) over the step, by Simpson's rule.
  SojournTable(double mu, std::size_t servers, const std::vector<double>& found, double seconds,
               std::size_t steps = 4'000)
      : step_(seconds / static_cast<double>(steps)) {
    const std::size_t most = found.size() > servers ? found.size() - servers : 0;
    std::vector<long double> weight(most + 1, 0.0L);
    for (std::size_t n = 0; n < found.size(); ++n)
      weight[n < servers ? 0 : n - servers + 1] += found[n];
    std::vector<long double> done(most + 1, 0.0L);
    std::vector<long double> begun = begun_by(0, most);
    const long double theta = static_cast<long double>(mu) * static_cast<long double>(servers);
    const long double fade = std::exp(static_cast<long double>(-mu * step_));
    const long double half = std::exp(static_cast<long double>(-mu * step_ / 2));
    within_.push_back(0);
    for (std::size_t i = 1; i <= steps; ++i) {
      const long double t = static_cast<long double>(i) * step_;
      const auto middle = begun_by(theta * (t - step_ / 2), most);
      const auto end = begun_by(theta * t, most);
      long double sum = 0;
      for (std::size_t k = 0; k <= most; ++k) {
        done[k] =
            fade * done[k] + mu * step_ * (fade * begun[k] + 4 * half * middle[k] + end[k]) / 6;
        sum += weight[k] * done[k];
      }
      begun = end;
      within_.push_back(static_cast<double>(sum));
    }
  }

  // Weight of sojourns of at most t.
  double within(double t) const {
    const double at = std::clamp(t / step_, 0.0, static_cast<double>(within_.size() - 1));
    const auto i = std::min(static_cast<std::size_t>(at), within_.size() - 2);
    return within_[i] + (at - static_cast<double>(i)) * (within_[i + 1] - within_[i]);
  }
  double total() const { return within_.back(); }
  // E[S; S <= the table's end], by parts.
  double sum() const {
    double area = -(within_.front() + within_.back()) / 2;
    for (const double w : within_) area += w;
    return step_ * (static_cast<double>(within_.size() - 1) * within_.back() - area);
  }

 private:
  // P(Poisson(mean) >= k), k = 0 ... most, by sums of what is above.
  static std::vector<long double> begun_by(long double mean, std::size_t most) {
    std::vector<long double> begun(most + 1, 0.0L);
    const auto reach = most + 60 + static_cast<std::size_t>(mean + 12 * std::sqrt(mean));
    std::vector<long double> term(reach + 1);
    term[0] = std::exp(-mean);
    for (std::size_t k = 1; k <= reach; ++k)
      term[k] = term[k - 1] * mean / static_cast<long double>(k);
    long double sum = 0;
    for (std::size_t k = reach + 1; k-- > 0;) {
      sum += term[k];
      if (k <= most) begun[k] = sum;
    }
    return begun;
  }

  double step_;
  std::vector<double> within_;
};

}  // namespace retrystorm
