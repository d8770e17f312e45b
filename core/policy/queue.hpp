// The bounded queue in front of the workers: places, and the order in which those who wait are
// taken.
#pragma once

#include "core/lane.hpp"
#include "core/policy/disciplines.hpp"
#include "core/random.hpp"
#include "core/scenario.hpp"

#include <cstddef>
#include <cstdint>

namespace retrystorm {

// An admitted arrival that no worker has taken yet. `token` is the driver's own name for it.
struct Waiting {
  std::uint64_t token = 0;
  Instant arrived{};
};

class Queue {
 public:
  explicit Queue(const Scenario& scenario)
      : discipline_(*scenario.service.discipline),
        places_(static_cast<std::uint64_t>(queue_places(scenario))),
        random_(static_cast<std::uint64_t>(scenario.seed), Stream::discipline) {}

  bool full() const { return waiting_.size() >= places_; }
  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }
  std::uint64_t places() const { return places_; }

  // Not when full.
  void push(const Waiting& waiting) { waiting_.push(waiting); }
  // The one that is served next; not when empty.
  Waiting take() {
    return discipline_.visit([this](const auto& d) { return d.take(waiting_, random_); });
  }

  // Those who wait, in no particular order.
  auto begin() const { return waiting_.begin(); }
  auto end() const { return waiting_.end(); }

 private:
  Disciplines discipline_;
  std::uint64_t places_;
  Random random_;
  Lane<Waiting> waiting_;
};

// The fields of this policy.
void declare_queue(FieldList& list);

}  // namespace retrystorm
