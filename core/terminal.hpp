// What the output of a verb looks like where it goes: colour or none, and how wide a line may be.
#pragma once

#include <cstddef>

namespace retrystorm {

// Of what is no terminal, and of a terminal that does not say.
inline constexpr std::size_t default_width = 80;

struct Look {
  bool colour = false;
  std::size_t width = default_width;  // in columns
};

// Of standard output or standard error: a terminal has colour and its own width; the environment's
// COLUMNS, from 40 to 1000, comes before that.
Look look_of(int file);

}  // namespace retrystorm
