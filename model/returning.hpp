// Attempts on their way back: failed mass that will be sent again after a delay, by the step of a
// grid in which it is due and by attempt number. What fluid_flow.cpp and mean_field.cpp share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace retrystorm {

class Returning {
 public:
  // `attempts` a request may make; delays up to `longest` steps.
  Returning(double longest, std::size_t attempts)
      : attempts_(attempts),
        steps_(static_cast<std::size_t>(longest) + 3),
        due_(steps_ * attempts, 0.0) {}

  // `mass` is sent as attempt number `attempt`, `delay` steps (at least 0) after `step`: split
  // between the two steps it falls between.
  void add(std::int64_t step, double delay, std::size_t attempt, double mass) {
    const double whole = std::floor(delay);
    const auto first = step + static_cast<std::int64_t>(whole);
    at(first)[attempt] += mass * (1 - (delay - whole));
    at(first + 1)[attempt] += mass * (delay - whole);
    mass_ += mass;
  }

  // What is due at `step`, by attempt number; it is on its way no longer.
  std::vector<double> take(std::int64_t step) {
    double* const due = at(step);
    std::vector<double> taken(due, due + attempts_);
    std::fill(due, due + attempts_, 0.0);
    for (const double m : taken) mass_ -= m;
    return taken;
  }

  void clear() {
    std::fill(due_.begin(), due_.end(), 0.0);
    mass_ = 0;
  }

  double mass() const { return mass_; }
  std::size_t steps() const { return steps_; }  // the memory, in steps

 private:
  double* at(std::int64_t step) {
    return due_.data() + static_cast<std::size_t>(step) % steps_ * attempts_;
  }

  std::size_t attempts_;
  std::size_t steps_;
  std::vector<double> due_;  // a ring of steps, each with its attempt numbers
  double mass_ = 0;
};

}  // namespace retrystorm
