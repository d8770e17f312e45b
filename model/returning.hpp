// Attempts on their way back: failed mass that will be sent again after a delay, by the step of a
// grid in which it is due and by attempt number. What fluid_flow.cpp and mean_field.cpp share.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace retrystorm {

class Returning {
 public:
  // `attempts` a request may make; delays up to `longest` steps.
  Returning(double longest, std::size_t attempts)
      : due_(static_cast<std::size_t>(longest) + 3, std::vector<double>(attempts, 0.0)) {}

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
    std::vector<double>& due = at(step);
    std::vector<double> taken(due.size(), 0.0);
    taken.swap(due);
    for (const double m : taken) mass_ -= m;
    return taken;
  }

  void clear() {
    for (auto& due : due_) due.assign(due.size(), 0.0);
    mass_ = 0;
  }

  double mass() const { return mass_; }
  std::size_t steps() const { return due_.size(); }  // the memory, in steps

 private:
  std::vector<double>& at(std::int64_t step) {
    return due_[static_cast<std::size_t>(step) % due_.size()];
  }

  std::vector<std::vector<double>> due_;  // a ring
  double mass_ = 0;
};

}  // namespace retrystorm
