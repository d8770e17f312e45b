// The shapes of backoff and the kinds of jitter that there are. A new one is one file in backoff/
// or jitter/ and one name here.
#pragma once

#include "core/choice.hpp"
#include "core/policy/backoff/constant.hpp"
#include "core/policy/backoff/exponential.hpp"
#include "core/policy/backoff/linear.hpp"
#include "core/policy/jitter/decorrelated.hpp"
#include "core/policy/jitter/equal.hpp"
#include "core/policy/jitter/full.hpp"
#include "core/policy/jitter/none.hpp"
#include "core/policy/jitter/share.hpp"

namespace retrystorm {

struct BackoffShapes : Choice<ConstantBackoff, LinearBackoff, ExponentialBackoff> {
  using Choice::Choice;
};
struct Jitters : Choice<NoJitter, FullJitter, EqualJitter, DecorrelatedJitter, ShareJitter> {
  using Choice::Choice;
};

}  // namespace retrystorm
