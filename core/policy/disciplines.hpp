// In which order waiting requests are served: the disciplines there are. A new one is one file in
// discipline/ and one name here.
#pragma once

#include "core/choice.hpp"
#include "core/policy/discipline/fifo.hpp"
#include "core/policy/discipline/lifo.hpp"
#include "core/policy/discipline/random_order.hpp"

namespace retrystorm {

struct Disciplines : Choice<Fifo, Lifo, RandomOrder> {
  using Choice::Choice;
};

}  // namespace retrystorm
