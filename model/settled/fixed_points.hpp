// Retries and the service that causes them, settled: the rates of attempts that sustain themselves,
// all of them, stable or not, and the loads between which there is more than one (the folds).
//
// Two kinds of retry. Long after (a backoff long compared with the queue's memory): every failed
// attempt is a fresh draw, so attempts come at Lambda = lambda (1 + f + ... + f^r), f the share
// that fails and is retried. At once: a refused request's retries meet the same full queue and are
// refused with it, so only late attempts feed back, as new epochs: Lambda_e = lambda (1 + l + ... +
// l^r), and of the A attempts a request makes A_k = s + b k + l (1 + A_{k-1}) with k left. Both
// treat the attempts as one stream of the scenario's kind; against simulation the first is within
// 0.2 % of the attempts, the second within 0.6 % (goodput within 4 %), but 2 % short where the way
// back to the queue takes a fifth of the time between departures. Source: mean-field equations of
// retrial queues; tests/model/settled/stationary_test.cpp holds them to the errors.
#pragma once

#include "core/scenario.hpp"
#include "model/settled/settled_service.hpp"

#include <functional>
#include <optional>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

struct RetryRule {
  std::int64_t retries = 0;
  bool at_once = false;
  bool on_refused = true;
  bool on_late = true;

  // The scenario's: at once when its backoff is 0.
  explicit RetryRule(const ClientSettings& client);
  RetryRule(std::int64_t r, bool once) : retries(r), at_once(once) {}
};

// Shares of attempts at a rate per second.
using SharesAt = std::function<AttemptShares(double)>;

// A settled state. `epochs_per_s` is the stream that the queue sees; at once, attempts that are
// refused in one instant are one epoch, else every attempt is one.
struct SettledState {
  double epochs_per_s = 0;
  double attempts_per_s = 0;
  double goodput_per_s = 0;
  double refused_per_s = 0;    // attempts
  double completed_per_s = 0;  // by the service
  AttemptShares shares;        // of epochs
  bool stable = true;
};

// How often the shares are asked for to find all states, or the folds: the grid, and what is
// bracketed in it.
inline constexpr double looks_at_load_curve = 350;

// The states of `rate` requests a second, by rising attempts: found between the extrema of the load
// curve lambda(Lambda), where it is monotone, so none is missed. `ceiling`: completions per second
// at most, where the curve is steepest; the larger the `room` of the system, the more finely.
std::vector<SettledState> settled_states(double rate, const RetryRule& rule, const SharesAt& shares,
                                         double ceiling, double room);

// Where the good state ends (upper) and where the bad state stops sustaining itself (lower): the
// local maximum and minimum of the load curve. Between the two there are three states.
struct Fold {
  double rate = 0;          // requests per second
  double epochs_per_s = 0;  // of the state that vanishes there
};
struct Folds {
  Fold upper, lower;
};
std::optional<Folds> folds(const RetryRule& rule, const SharesAt& shares, double ceiling,
                           double room);

boost::json::value to_json(const Folds& folds);

}  // namespace retrystorm
