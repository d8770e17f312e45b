// Whose request is whose: the class of each request of a schedule, in their order. Even arrivals
// deal requests out so that every stretch of the schedule has the classes in their shares; with
// Poisson arrivals the class is drawn, as a request of independent streams would have it.
#pragma once

#include "core/policy/arrivals.hpp"
#include "core/random.hpp"
#include "core/scenario.hpp"

#include <cstdint>
#include <vector>

namespace retrystorm {

class ClassOrder {
 public:
  // For the requests of the share. Even: each request adds its share to every class's credit; the
  // largest, first on ties, takes it and pays 1. Poisson: drawn from the scenario's seed. Shares
  // count to 1e-9, so that ties are ties on every machine.
  ClassOrder(const Scenario& scenario, Arrivals::Share share);

  // The class of the next request, from 0.
  std::uint8_t next() const { return next_; }
  void pop();

 private:
  void deal();
  void draw();

  bool even_;
  std::uint64_t step_;
  std::vector<std::int64_t> shares_;   // in thousand-millionths; none for one class
  std::vector<std::int64_t> credits_;  // likewise
  std::int64_t sum_ = 0;               // of the shares
  Random random_;
  std::uint8_t next_ = 0;
};

}  // namespace retrystorm
