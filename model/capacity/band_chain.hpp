// A finite Markov chain whose steps are short: its stationary law by GTH elimination in the band.
#pragma once

#include "model/effort.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace retrystorm::capacity {

// States 0 ... size - 1; from i to j only for i - down <= j <= i + up.
class BandChain {
 public:
  BandChain(std::size_t size, std::size_t down, std::size_t up)
      : size_(size),
        down_(std::min(down, size)),
        up_(std::min(up, size)),
        width_(down_ + up_ + 1),
        weight_(size * width_, 0.0) {}

  std::size_t size() const { return size_; }
  bool holds(std::size_t from, std::size_t to) const {
    return to < size_ && to + down_ >= from && to <= from + up_;
  }
  // The weight (probability or rate) of the step; it must be held. Diagonal weights do not matter.
  double& at(std::size_t from, std::size_t to) {
    return weight_[from * width_ + (to + down_ - from)];
  }

  // The stationary law. Grassmann, Taksar and Heyman 1985: each state is eliminated with sums of
  // positive terms only, so that even the smallest probability keeps its digits.
  // O(size x down x up).
  std::vector<double> stationary(Meter* meter = nullptr) &&;

 private:
  std::size_t size_;
  std::size_t down_;
  std::size_t up_;
  std::size_t width_;
  std::vector<double> weight_;
};

}  // namespace retrystorm::capacity
