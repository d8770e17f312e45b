// The schedule of a load in stages: an even one whose requests count anew in each stage, or a
// Poisson stream whose rate follows the stages. Walks forward only; a request costs no division in
// a stage of one rate.
#pragma once

#include "core/policy/stage.hpp"
#include "core/random.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace retrystorm {

class StagedArrivals {
 public:
  StagedArrivals() = default;
  // An even schedule's requests `index`, `index` + `step`, ...
  StagedArrivals(const std::vector<Stage>& stages, std::uint64_t index, std::uint64_t step);
  // A Poisson stream: request 0 as soon as the rate is above 0, then exponential gaps of the
  // cumulative rate, one stream over all stages.
  explicit StagedArrivals(const std::vector<Stage>& stages);

  // `never` after the last.
  Instant next() const { return next_; }

  // Of an even schedule: the next of its requests.
  void pop() {
    index_ += step_;
    if (index_ >= stage_end_) return enter();
    if (ramp_) {
      next_ = stages_[at_].start + instant_in(stages_[at_].stage, index_ - stages_[at_].first);
      return;
    }
    // floor(k x 1e12 / rate), carried on from the request before.
    next_ += gap_;
    rest_ += gap_rest_;
    if (rest_ >= rate_) {
      rest_ -= rate_;
      next_ += Duration(1);
    }
  }
  // Of an even schedule: how many are left, this one included.
  std::uint64_t remaining() const;

  // Of a Poisson stream: the next request.
  void draw(Random& random);
  double area_left() const;

 private:
  struct Planned {
    Stage stage;
    Instant start;
    std::uint64_t first;  // the number of its first request in the whole even schedule
    std::uint64_t count;  // of its requests there
  };

  void plan(const std::vector<Stage>& stages);
  void enter();
  void place(double area);

  std::vector<Planned> stages_;
  std::size_t at_ = 0;  // the stage that the next request is in
  Instant next_ = never;
  std::uint64_t index_ = 0, step_ = 1;
  std::uint64_t stage_end_ = 0;  // the first request after the stage
  bool ramp_ = false;
  std::int64_t rate_ = 0;                 // thousandths per second, in a stage of one rate
  Duration gap_{};                        // from one request to the next, rounded down,
  std::int64_t gap_rest_ = 0, rest_ = 0;  // and what is left, in 1/rate of a nanosecond
  double area_ = 0;                       // of a Poisson stream: since the start of the stage
};

}  // namespace retrystorm
