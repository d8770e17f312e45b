// The service on a morning as one value: what the operator set, what the fleet and the cache are
// doing, what is spent. A step makes the next one from it (step.hpp).
#pragma once

#include "model/oncall/random.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace retrystorm::oncall {

// What stays as the operator left it. The two buttons (warm-up, rollback) are actions.
struct Controls {
  int floor = 10;        // instances
  bool tracking = true;  // target tracking on
  double target = 0.60;  // utilization it aims at
  double ttl = 60;       // seconds
  double shed = 0;       // share of the low-priority traffic
  bool recommendations = true;

  friend bool operator==(const Controls&, const Controls&) = default;
};

// The instances, serving and booting.
struct Fleet {
  int serving = 0;
  std::vector<int> booting;  // minutes until each serves, in the order of launch
  int quiet = 0;             // minutes in a row that a smaller fleet would have done for

  int all() const { return serving + static_cast<int>(booting.size()); }
  friend bool operator==(const Fleet&, const Fleet&) = default;
};

// The error rates of the last 60 minutes.
class BurnWindow {
 public:
  static constexpr std::size_t minutes = 60;

  // Pre-filled with the opening minute.
  explicit BurnWindow(double opening_rate = 0) { rates_.fill(opening_rate); }
  void push(double rate) {
    rates_[oldest_] = rate;
    oldest_ = (oldest_ + 1) % minutes;
  }
  // Mean error rate of the latest `count` (at most 60) minutes.
  double mean(std::size_t count = minutes) const {
    double sum = 0;
    for (std::size_t i = 1; i <= count; ++i) sum += rates_[(oldest_ + minutes - i) % minutes];
    return sum / static_cast<double>(count);
  }
  friend bool operator==(const BurnWindow&, const BurnWindow&) = default;

 private:
  std::array<double, minutes> rates_{};
  std::size_t oldest_ = 0;
};

// The surge of the morning, drawn when it begins: a trapezium over the minutes since the opening.
struct Surge {
  double starts = 0;
  double rise = 1;
  double hold = 0;
  double fall = 1;
  double peak = 1;  // multiplies the traffic

  // 1 outside it.
  double factor(double minute) const;
  friend bool operator==(const Surge&, const Surge&) = default;
};

struct State {
  int minute = 0;  // since the opening
  Controls controls;
  Fleet fleet;
  Surge surge;
  double warm = 1;         // share of the cache that is filled
  int warm_up_left = 0;    // minutes
  double bad_share = 0;    // of the traffic
  int rollout_left = 0;    // minutes until all of it is on the new build
  int rollback_left = 0;   // minutes until the prepared fleet takes over
  double utilization = 0;  // of the minute before: what target tracking goes by
  BurnWindow burn;
  double budget_left = 1;  // share of the month's; negative when overspent
  double cost = 0;         // $ since the opening
  Mulberry32 random{0};

  friend bool operator==(const State&, const State&) = default;
};

}  // namespace retrystorm::oncall
