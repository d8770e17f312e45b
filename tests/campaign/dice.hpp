// What a campaign draws from: a stream of its own for each case and each field of it, so that a
// field added tomorrow leaves the draws of all others, and the seeds that found something, as they
// are.
#pragma once

#include "core/random.hpp"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace retrystorm::campaign {

class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t number, std::string_view what = {})
      : random_(seed ^ hash(what), Stream::noise, number) {}

  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>(random_.uniform() * static_cast<double>(n));
  }
  bool chance(double probability) { return random_.uniform() < probability; }
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  // 0 < low <= high.
  double log_between(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }
  template <typename T>
  const T& one_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  static std::uint64_t hash(std::string_view text) {  // FNV-1a
    std::uint64_t h = 14695981039346656037ULL;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return h;
  }

  Random random_;
};

}  // namespace retrystorm::campaign
