// A thread, or one line that says for what none was left.
#pragma once

#include "core/error.hpp"

#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace retrystorm {

// Runs f() in a thread; throws RunFailed, naming what it is `for_what`, where the machine gives
// none.
template <typename F>
std::thread start_thread(std::string_view for_what, F&& f) {
  try {
    return std::thread(std::forward<F>(f));
  } catch (const std::system_error& error) {
    throw RunFailed(fmt::format("{}: no thread left ({}); see ulimit -u and ulimit -v", for_what,
                                error.code().message()));
  }
}

}  // namespace retrystorm
