// How long a request holds its worker: fixed, exponential, lognormal, drawn from
// recorded ones, or a given list (replay).
#pragma once

#include "core/random.hpp"
#include "core/scenario.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include <boost/random/exponential_distribution.hpp>
#include <boost/random/normal_distribution.hpp>

namespace retrystorm {

class Work {
 public:
  // The scenario's work, drawn from its seed in the order in which requests start. Throws
  // InvalidInput for recorded work that has not been read.
  explicit Work(const Scenario& scenario);
  // The i-th start gets the i-th of the list; after its end `mean`.
  Work(std::vector<Duration> list, Duration mean);

  // True if every draw is the same: then completions come in the order of the starts.
  bool constant() const { return shape_ == Shape::fixed; }
  Duration mean() const { return mean_; }

  // The same for a request that asks for a mean of its own: drawn as the others and scaled to it. A
  // given list is as it is; so is all of it for a mean of 0.
  Duration draw(Duration mean) {
    const Duration drawn = draw();
    if (mean == Duration::zero() || shape_ == Shape::list) return drawn;
    if (shape_ == Shape::fixed) return mean;
    return at_least_one(static_cast<double>(drawn.count()) *
                        (static_cast<double>(mean.count()) / static_cast<double>(mean_.count())));
  }

  // Draws the next work time, at least 1 ns.
  Duration draw() {
    switch (shape_) {
      case Shape::fixed:
        return mean_;
      case Shape::exponential:
        return at_least_one(exponential_(random_) * static_cast<double>(mean_.count()));
      case Shape::lognormal:
        return at_least_one(lognormal_draw());
      case Shape::recorded:
        return recorded_draw();
      case Shape::list:
        return next_ < list_.size() ? list_[next_++] : mean_;
    }
    return mean_;
  }

 private:
  enum class Shape : std::uint8_t { fixed, exponential, lognormal, recorded, list };
  static Duration at_least_one(double ns) {
    return Duration(ns < 1 ? 1 : static_cast<std::int64_t>(ns));
  }
  double lognormal_draw();
  Duration recorded_draw();

  Shape shape_ = Shape::fixed;
  Duration mean_;
  double log_mean_ = 0;  // of the logarithm of the work in ns
  double log_sigma_ = 0;
  Random random_;
  boost::random::exponential_distribution<double> exponential_{1.0};
  boost::random::normal_distribution<double> normal_{0.0, 1.0};
  std::shared_ptr<const RecordedTimes> recorded_;
  std::vector<Duration> list_;
  std::size_t next_ = 0;
};

// The fields of this policy.
void declare_work(FieldList& list);

}  // namespace retrystorm
