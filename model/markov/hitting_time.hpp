// Mean times until a Markov chain in continuous time is absorbed, for chains whose states can be
// numbered so that steps are short. Without subtraction, so that a mean of 1e200 s is as exact as
// one of a second: a plain LU solve of Q h = -1 loses log10(h x rate) digits.
#pragma once

#include "model/effort.hpp"

#include <cstddef>
#include <vector>

namespace retrystorm {

// States 0 ... size - 1, with rates to states at most `down` below and `up` above, and to
// absorption.
class AbsorbedChain {
 public:
  // Throws std::domain_error if the elimination would take more than about `most_work`
  // multiplications (size x down x up) or some gigabytes.
  AbsorbedChain(std::size_t size, std::size_t down, std::size_t up, double most_work = 3e10);

  // Adds a rate; `to` within the band of `from`. Rates of a state to itself do not matter.
  void add(std::size_t from, std::size_t to, double rate);
  void add_absorption(std::size_t from, double rate) { absorption_[from] += rate; }

  // The mean time to absorption from each state; infinite (or beyond 1e300) where there is no way.
  // Elimination in the manner of Grassmann, Taksar and Heyman: removing a state sends what led to
  // it on to where it leads, its own time with it; only sums of positive terms (Alfa, Xue and Ye
  // 2002 prove the digits). A state that is never entered may have no rates at all.
  std::vector<double> mean_times(Meter* meter = nullptr) &&;

 private:
  double* row(std::size_t state) { return &rate_[state * width_]; }

  std::size_t size_, down_, up_, width_;
  std::vector<double> rate_;  // column `to` of row `from` at to + down_ - from
  std::vector<double> absorption_;
};

}  // namespace retrystorm
