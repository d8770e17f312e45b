// Standard output: an answer that a full disk or a closed output swallowed must not look like a
// success.
#pragma once

#include "core/error.hpp"

#include <cstdio>
#include <string_view>

namespace retrystorm {

// A piece of an answer, which may stay in the buffer until end_output(). Throws RunFailed.
inline void write_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw RunFailed("standard output: cannot be written");
  }
}

// Nothing more is to come, of whatever verb; throws RunFailed unless all of it is out.
inline void end_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw RunFailed("standard output: cannot be written");
  }
}

}  // namespace retrystorm
