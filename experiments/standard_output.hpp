// Standard output for verbs whose answer is all they have to give: an answer that a full disk or a
// closed output swallowed must not look like a success.
#pragma once

#include "core/error.hpp"

#include <cstdio>
#include <string_view>

namespace retrystorm {

// A piece of the answer, which may stay in the buffer until end_output(). Throws RunFailed.
inline void write_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw RunFailed("standard output: cannot be written");
  }
}

// The answer is complete; throws RunFailed unless all of it is out.
inline void end_output() {
  if (std::fflush(stdout) != 0) throw RunFailed("standard output: cannot be written");
}

inline void print_answer(std::string_view text) {
  write_output(text);
  end_output();
}

}  // namespace retrystorm
