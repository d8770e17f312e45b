// What a jitter draws a delay from.
#pragma once

#include "core/units.hpp"

namespace retrystorm {

struct Unspread {
  Duration delay{};     // as the shape of the backoff has it
  Duration base{};      // what the shape starts from
  Duration previous{};  // what was drawn before the request's retry before; `base` before its first
  Duration cap{};       // no backoff that grows is longer
};

}  // namespace retrystorm
