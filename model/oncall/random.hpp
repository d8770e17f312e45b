// The on-call model's random numbers: mulberry32 from a seed that can be read out over the phone,
// and the four distributions the model names. The bench has a better generator (core/random.hpp);
// this one is part of the published model.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>

namespace retrystorm::oncall {

// mulberry32 (Tommy Ettinger, 2017, public domain): 32 bits of state, period 2^32.
class Mulberry32 {
 public:
  explicit Mulberry32(std::uint32_t seed) : state_(seed) {}

  std::uint32_t next() {
    state_ += 0x6D2B79F5U;
    std::uint32_t z = state_;
    z = (z ^ (z >> 15)) * (z | 1U);
    z ^= z + (z ^ (z >> 7)) * (z | 61U);
    return z ^ (z >> 14);
  }

  // In [0, 1), 32 bits.
  double uniform() { return next() * 0x1.0p-32; }

  friend bool operator==(const Mulberry32&, const Mulberry32&) = default;

 private:
  std::uint32_t state_;
};

// Each draws from a generator with uniform() and keeps nothing, so that a state is one number.

template <typename Generator>
double uniform(Generator& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

// By inverse CDF.
template <typename Generator>
double exponential(Generator& random, double mean) {
  return -mean * std::log1p(-random.uniform());
}

// By Box-Muller, the cosine of the pair; the sine is thrown away (ours).
template <typename Generator>
double normal(Generator& random, double mean, double deviation) {
  const double radius = std::sqrt(-2 * std::log1p(-random.uniform()));
  return mean + deviation * radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// By Knuth's product of uniforms, which takes mean + 1 draws on average and fails where e^-mean
// underflows: only for small means. Throws std::domain_error beyond.
inline constexpr double most_poisson_mean = 30;
template <typename Generator>
int poisson(Generator& random, double mean) {
  if (!(mean >= 0 && mean <= most_poisson_mean)) {
    throw std::domain_error("poisson: mean must be from 0 to 30");
  }
  const double floor = std::exp(-mean);
  int count = 0;
  for (double product = random.uniform(); product > floor; product *= random.uniform()) ++count;
  return count;
}

}  // namespace retrystorm::oncall
