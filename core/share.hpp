// Shares in millionths, compared as integers: 7 % of 100 is 7, while 0.07 x 100 in binary fractions
// is a little more, and a threshold that is just met would fail.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

namespace retrystorm {

inline constexpr std::int64_t ppm = 1'000'000;

// A share that came as a number (0.01), to the nearest millionth.
inline std::int64_t to_ppm(double share) {
  return std::llround(share * ppm);
}

// part / whole in whole millionths, rounded down: what falls short of a threshold never reads as
// the threshold. Requires: 0 < whole, part and whole at most 2^63 / 10^6.
constexpr std::int64_t ppm_of(std::int64_t part, std::int64_t whole) {
  return part * ppm / whole;
}

// part >= share of whole; nothing reaches every share of nothing. Same bounds.
constexpr bool reaches(std::int64_t part, std::int64_t whole, std::int64_t share_ppm) {
  return part * ppm >= share_ppm * whole;
}

// The same of rates, which are counts divided by seconds: what differs by that rounding is equal.
constexpr double rounding_of_rates = 1e-12;
inline bool rate_reaches(double part, double whole, std::int64_t share_ppm) {
  const double due = static_cast<double>(share_ppm) * whole;
  return part * static_cast<double>(ppm) >= due - rounding_of_rates * std::abs(due);
}
inline bool rate_exceeds(double part, double whole, std::int64_t share_ppm) {
  const double due = static_cast<double>(share_ppm) * whole;
  return part * static_cast<double>(ppm) > due + rounding_of_rates * std::abs(due);
}

// Two rates or means that ought to be equal differ by more than a share of the second; again, what
// differs by that rounding is equal.
inline bool off_by_more(double part, double whole, std::int64_t share_ppm) {
  const double most =
      (static_cast<double>(share_ppm) + rounding_of_rates * static_cast<double>(ppm)) *
      std::abs(whole);
  return !(std::abs(part - whole) * static_cast<double>(ppm) <= most);
}

// "99.9", "25.0001": the percentage, exactly, without its sign.
std::string percent_text(std::int64_t share_ppm);

}  // namespace retrystorm
