#include "model/settled/fixed_points.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>

namespace retrystorm {
namespace {

// 1 + x + ... + x^r.
double geometric(double x, std::int64_t r) {
  const auto n = static_cast<double>(r + 1);
  if (x <= 0) return 1;
  if (1 - x < 1e-15) return n;
  return std::expm1(n * std::log(x)) / (x - 1);
}

// The share of epochs that feeds back.
double fed_back(const RetryRule& rule, const AttemptShares& s) {
  double share = rule.on_late ? s.late : 0;
  if (!rule.at_once && rule.on_refused) share += s.refused;
  return share;
}

// The load curve: requests per second that sustain epochs at this rate.
class LoadCurve {
 public:
  LoadCurve(const RetryRule& rule, const SharesAt& shares) : rule_(rule), shares_(shares) {}
  double operator()(double epochs) const {
    return epochs / geometric(fed_back(rule_, shares_(epochs)), rule_.retries);
  }

 private:
  const RetryRule& rule_;
  const SharesAt& shares_;
};

// Rates to look at: evenly in the logarithm, and densely about the ceiling, on the scale 1/room
// on which the queue there goes from empty to full.
std::vector<double> grid(double low, double high, double ceiling, double room) {
  std::vector<double> rates;
  constexpr int coarse = 48;
  for (int i = 0; i <= coarse; ++i) rates.push_back(low * std::pow(high / low, i / double{coarse}));
  constexpr int fine = 40;  // to each side
  const double widest = std::asinh(0.5 * room);
  for (int i = -fine; i <= fine; ++i) {
    const double rate = ceiling * (1 + std::sinh(widest * i / fine) / room);
    if (rate > low && rate < high) rates.push_back(rate);
  }
  std::sort(rates.begin(), rates.end());
  return rates;
}

struct Extremum {
  double epochs = 0;
  double rate = 0;
  bool maximum = false;
};

// The inner local extrema of the curve, in order.
std::vector<Extremum> extrema(const LoadCurve& curve, const std::vector<double>& at,
                              const std::vector<double>& value) {
  std::vector<Extremum> found;
  for (std::size_t i = 1; i + 1 < at.size(); ++i) {
    const bool maximum = value[i] > value[i - 1] && value[i] >= value[i + 1];
    const bool minimum = value[i] < value[i - 1] && value[i] <= value[i + 1];
    if (!maximum && !minimum) continue;
    const double sign = maximum ? -1 : 1;
    std::uintmax_t iterations = 60;
    const auto [epochs, best] = boost::math::tools::brent_find_minima(
        [&](double x) { return sign * curve(x); }, at[i - 1], at[i + 1], 26, iterations);
    // At a jump the grid's own point may be better than anything Brent found.
    if (best > sign * value[i]) {
      found.push_back({at[i], value[i], maximum});
    } else {
      found.push_back({epochs, sign * best, maximum});
    }
  }
  // Rounding on a flat stretch makes pairs that are none.
  std::vector<Extremum> kept;
  for (const Extremum& e : found) {
    if (!kept.empty() && kept.back().maximum != e.maximum &&
        std::abs(kept.back().rate - e.rate) <= 1e-9 * e.rate) {
      kept.pop_back();
    } else {
      kept.push_back(e);
    }
  }
  return kept;
}

SettledState state_at(double rate, double epochs, bool stable, const RetryRule& rule,
                      const SharesAt& shares_at) {
  SettledState state;
  state.epochs_per_s = epochs;
  state.stable = stable;
  AttemptShares s = shares_at(epochs);
  // Where the shares jump (even arrivals at the ceiling), the state sits within the jump: mix the
  // sides so that it feeds back just what sustains it.
  const double back = fed_back(rule, s);
  if (std::abs(rate * geometric(back, rule.retries) - epochs) > 1e-6 * epochs) {
    const AttemptShares other = shares_at(epochs * (back > 0.5 ? 1 - 1e-7 : 1 + 1e-7));
    const auto mixed = [&](double w) {
      return AttemptShares{s.succeeded + w * (other.succeeded - s.succeeded),
                           s.refused + w * (other.refused - s.refused),
                           s.late + w * (other.late - s.late)};
    };
    double low = 0;
    double high = 1;
    const bool rising = fed_back(rule, other) > back;
    for (int i = 0; i < 60; ++i) {
      const double w = (low + high) / 2;
      const bool too_much = rate * geometric(fed_back(rule, mixed(w)), rule.retries) > epochs;
      (too_much == rising ? high : low) = w;
    }
    s = mixed(low);
  }
  state.shares = s;
  state.goodput_per_s = epochs * s.succeeded;
  state.completed_per_s = epochs * (1 - s.refused);
  if (!rule.at_once) {
    state.attempts_per_s = epochs;
    state.refused_per_s = epochs * s.refused;
    return state;
  }
  // A_k and the refused among them, B_k, with k attempts left.
  double a = 0;
  double b = 0;
  for (std::int64_t k = 1; k <= rule.retries + 1; ++k) {
    const double burnt = rule.on_refused ? static_cast<double>(k) : 1;
    a = s.succeeded + s.refused * burnt + s.late * (1 + (rule.on_late ? a : 0));
    b = s.refused * burnt + (rule.on_late ? s.late * b : 0);
  }
  state.attempts_per_s = rate * a;
  state.refused_per_s = rate * b;
  return state;
}

}  // namespace

RetryRule::RetryRule(const ClientSettings& client)
    : retries(client.retries),
      at_once(client.backoff == Duration::zero()),
      on_refused(client.retry_on.contains(AttemptOutcome::rejected)),
      on_late(client.retry_on.contains(AttemptOutcome::timed_out)) {}

std::vector<SettledState> settled_states(double rate, const RetryRule& rule, const SharesAt& shares,
                                         double ceiling, double room) {
  if (rule.retries == 0) return {state_at(rate, rate, true, rule, shares)};
  const LoadCurve curve(rule, shares);
  const double most = rate * static_cast<double>(rule.retries + 1);
  const std::vector<double> at = grid(rate, most, ceiling, room);
  std::vector<double> value;
  for (const double epochs : at) value.push_back(curve(epochs));
  // Ends of monotone stretches. The curve starts at or below `rate` and ends at or above it.
  std::vector<std::pair<double, double>> ends{{at.front(), value.front()}};
  for (const Extremum& e : extrema(curve, at, value)) ends.emplace_back(e.epochs, e.rate);
  ends.emplace_back(at.back(), value.back());

  std::vector<SettledState> states;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const auto [low, low_rate] = ends[i];
    const auto [high, high_rate] = ends[i + 1];
    const bool rising = high_rate > low_rate;
    // Half-open stretches, so that a root on an end is counted once.
    const bool inside = rising ? low_rate <= rate && (rate < high_rate || i + 2 == ends.size())
                               : high_rate <= rate && rate < low_rate;
    if (!inside) continue;
    double epochs = low;
    if (low_rate != rate) {
      if ((high_rate - rate) * (low_rate - rate) > 0) {
        epochs = high;  // all attempts fail to the last digit: the end itself
      } else {
        std::uintmax_t iterations = 200;
        const auto [a, b] = boost::math::tools::toms748_solve(
            [&](double x) { return curve(x) - rate; }, low, high, low_rate - rate, high_rate - rate,
            boost::math::tools::eps_tolerance<double>(50), iterations);
        epochs = (a + b) / 2;
      }
    }
    states.push_back(state_at(rate, epochs, rising, rule, shares));
  }
  return states;
}

std::optional<Folds> folds(const RetryRule& rule, const SharesAt& shares, double ceiling,
                           double room) {
  if (rule.retries == 0) return std::nullopt;
  const LoadCurve curve(rule, shares);
  const double most = 2 * ceiling * static_cast<double>(rule.retries + 1);
  const std::vector<double> at = grid(0.2 * ceiling, most, ceiling, room);
  std::vector<double> value;
  for (const double epochs : at) value.push_back(curve(epochs));
  const std::vector<Extremum> found = extrema(curve, at, value);
  // The good state rises to the first maximum; the lowest minimum after it carries the last bad
  // one.
  const auto top =
      std::find_if(found.begin(), found.end(), [](const Extremum& e) { return e.maximum; });
  auto bottom = found.end();
  for (auto e = top; e != found.end(); ++e) {
    if (!e->maximum && (bottom == found.end() || e->rate < bottom->rate)) bottom = e;
  }
  if (bottom == found.end()) return std::nullopt;
  return Folds{{top->rate, top->epochs}, {bottom->rate, bottom->epochs}};
}

}  // namespace retrystorm
