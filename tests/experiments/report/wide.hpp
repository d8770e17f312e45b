// How reports are written in tests that look for all of them.
#pragma once

#include "core/terminal.hpp"

namespace retrystorm {

// As wide as all columns need, and more.
inline constexpr Look wide{false, 120};

}  // namespace retrystorm
