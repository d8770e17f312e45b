// The shapes of backoff and the kinds of jitter that there are. A new one is one file in backoff/
// or jitter/ and one name here.
#pragma once

#include "core/choice.hpp"
#include "core/policy/backoff/constant.hpp"
#include "core/policy/backoff/exponential.hpp"
#include "core/policy/jitter/full.hpp"
#include "core/policy/jitter/none.hpp"

namespace retrystorm {

struct BackoffShapes : Choice<ConstantBackoff, ExponentialBackoff> {
  using Choice::Choice;
};
struct Jitters : Choice<NoJitter, FullJitter> {
  using Choice::Choice;
};

}  // namespace retrystorm
