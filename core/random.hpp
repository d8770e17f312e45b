// Seeded random numbers, one independent stream for each thing that varies, so that adding one
// variable does not disturb the others. The distributions are Boost.Random's: the same on every
// platform.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace retrystorm {

// What a stream is for; part of its seed.
enum class Stream : std::uint64_t {
  arrivals = 1,
  work = 2,
  noise = 3,
  jitter = 4,
  discipline = 5,
  classes = 6,
  think = 7,
  budget = 8,
  injection = 9,
  strangers = 10,
  callers = 11,
};

// xoshiro256++ 1.0 (Blackman and Vigna, 2019), seeded through SplitMix64 as its authors advise.
// Ours because Boost 1.81 has none and std::mt19937_64 costs the simulation a fifth of its speed.
class Random {
 public:
  using result_type = std::uint64_t;

  explicit Random(std::uint64_t seed, Stream stream = Stream::arrivals, std::uint64_t member = 0) {
    std::uint64_t state = seed + 0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(stream) +
                          0xD1B54A32D192ED03ULL * member;
    for (auto& word : state_) word = split_mix(state);
  }

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  result_type operator()() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // In [0, 1), 53 bits.
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

 private:
  static std::uint64_t split_mix(std::uint64_t& state) {
    std::uint64_t z = state += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  std::uint64_t state_[4] = {};
};

}  // namespace retrystorm
