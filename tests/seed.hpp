// The seeds of tests that draw their inputs. A failure shows the seed it came about with, and
// RETRYSTORM_TEST_SEED in the environment takes the place of every seed, so that it can be
// repeated:
//   RETRYSTORM_TEST_SEED=7 build/dev/tests/core/core_test --gtest_filter=Duration.*
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace retrystorm {

// What the environment asks for.
inline std::optional<std::uint64_t> asked_seed() {
  const char* const text = std::getenv("RETRYSTORM_TEST_SEED");
  if (text == nullptr || *text == '\0') return std::nullopt;
  return std::strtoull(text, nullptr, 10);
}

// One seed, shown by every failure of this thread while it stands.
class Seed {
 public:
  explicit Seed(std::uint64_t usual,
                const std::source_location& where = std::source_location::current())
      : value_(asked_seed().value_or(usual)),
        shown_(where.file_name(), static_cast<int>(where.line()),
               "seed: RETRYSTORM_TEST_SEED=" + std::to_string(value_)) {}

  template <typename Integer = std::uint64_t>
  Integer value() const {
    return static_cast<Integer>(value_);
  }

 private:
  std::uint64_t value_;
  testing::ScopedTrace shown_;
};

// The seeds from `first` to `last`, or the one that is asked for.
template <typename Integer>
std::vector<Integer> seeds(Integer first, Integer last) {
  if (const auto asked = asked_seed()) return {static_cast<Integer>(*asked)};
  std::vector<Integer> list;
  for (Integer seed = first; seed <= last; ++seed) list.push_back(seed);
  return list;
}

}  // namespace retrystorm
