#include "model/latencies.hpp"

#include <algorithm>
#include <cmath>

namespace retrystorm {
namespace {

// The smallest t in (0, most] with weight(t) >= enough, to a billionth; `weight` is nondecreasing
// and reaches `enough` at `most`. Doubled and halved from `start`, then bisected: laws have steps.
double reaches(const std::function<double(double)>& weight, double enough, double start,
               double most) {
  double high = std::min(start, most);
  if (weight(high) < enough) {
    while (high < most && weight(high) < enough) high = std::min(2 * high, most);
  } else {
    while (high > 1e-12 && weight(high / 2) >= enough) high /= 2;
  }
  double low = high / 2;
  while (high - low > 1e-9 * high) {
    const double middle = (low + high) / 2;
    (weight(middle) >= enough ? high : low) = middle;
  }
  return high;
}

// `weight(t)` of latencies of at most t seconds, all of them by `most`.
Quantiles quantiles_of(const std::function<double(double)>& weight, double total, double mean_s,
                       double most) {
  const auto at = [&](double share) {
    // As weighted_quantiles has it: a share that is met but for rounding is met.
    return reaches(weight, share * total * (1 - 1e-12), mean_s, most) * 1e3;
  };
  return {mean_s * 1e3, at(0.5), at(0.9), at(0.99), at(0.999), {}};
}

// The longest sojourn that is still in time; below 0 if none is.
double longest(const Patience& p) {
  return p.timeout_s - p.round_trip_s;
}

}  // namespace

Quantiles success_latencies(const Sojourns& sojourns, const Patience& patience) {
  const double most = longest(patience);
  if (most < 0) return {};
  const double total = sojourns.within(most);
  if (!(total > 0)) return {};
  const auto weight = [&](double latency) {
    const double sojourn = latency - patience.round_trip_s;
    return sojourn < 0 ? 0.0 : sojourns.within(std::min(sojourn, most));
  };
  return quantiles_of(weight, total, sojourns.sum_within(most) / total + patience.round_trip_s,
                      patience.timeout_s);
}

Quantiles outcome_latencies(const Sojourns& sojourns, double refused, const Patience& patience) {
  const double most = longest(patience);
  const double total = sojourns.total + refused;
  if (!(total > 0)) return {};
  const double refused_after = std::min(patience.round_trip_s, patience.timeout_s);
  const double in_time = most < 0 ? 0 : sojourns.within(most);
  const auto weight = [&](double latency) {
    if (latency >= patience.timeout_s) return total;
    const double sojourn = latency - patience.round_trip_s;
    const double replied = sojourn < 0 ? 0 : sojourns.within(std::min(sojourn, most));
    return replied + (latency >= refused_after ? refused : 0);
  };
  double sum = refused * refused_after + (sojourns.total - in_time) * patience.timeout_s;
  if (most >= 0) sum += sojourns.sum_within(most) + in_time * patience.round_trip_s;
  return quantiles_of(weight, total, sum / total, patience.timeout_s);
}

void forget_latencies(Tally& tally) {
  tally.request = tally.attempt = tally.all = Quantiles{};
}

}  // namespace retrystorm
