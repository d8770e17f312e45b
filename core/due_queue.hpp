// What is due when: the earliest first, and what is due at one instant in the order in which it was
// pushed. Pushes that come in order of their instants (one constant delay, as most are) go through
// a lane; only what comes out of order goes through a heap, so that nobody need know beforehand.
//
// Cost of a push and its pop, n = entries waiting:
//   in order        O(1)       the lane; the heap is empty
//   out of order    O(log n)   the heap; a push that is later than all in the lane still takes it
// No allocation once the largest size has been seen.
#pragma once

#include "core/lane.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace retrystorm {

template <typename T>
class DueQueue {
 public:
  bool empty() const { return lane_.empty() && heap_.empty(); }
  std::size_t size() const { return lane_.size() + heap_.size(); }

  // When the first is due; `never` if there is none.
  Instant next() const { return next_; }

  void push(Instant at, const T& value) {
    next_ = std::min(next_, at);
    if (lane_.empty() || at >= lane_.back().at) {
      lane_.push({at, value});
      return;
    }
    heap_.push_back({at, order_++, value});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  // The first; not when empty.
  const T& front() const {
    if (heap_.empty()) [[likely]]
      return lane_.front().value;
    return heap_is_first() ? heap_.front().value : lane_.front().value;
  }
  void pop() {
    if (heap_.empty()) [[likely]] {
      lane_.pop();
      next_ = lane_.empty() ? never : lane_.front().at;
      return;
    }
    pop_of_two();
  }
  void clear() {
    lane_.clear();
    heap_.clear();
    next_ = never;
  }

  // f(value) for each, in no particular order.
  template <typename F>
  void for_each(F&& f) const {
    for (const InOrder& e : lane_) f(e.value);
    for (const OutOfOrder& e : heap_) f(e.value);
  }

 private:
  struct InOrder {
    Instant at;
    T value;
  };
  struct OutOfOrder {
    Instant at;
    std::uint64_t order;  // of its push
    T value;
  };
  static bool later(const OutOfOrder& a, const OutOfOrder& b) {
    return a.at != b.at ? a.at > b.at : a.order > b.order;
  }
  // With something in the heap. What stands in the lane for the same instant was pushed before:
  // what went to the heap found something later in the lane, which cannot have left it since.
  bool heap_is_first() const { return lane_.empty() || heap_.front().at < lane_.front().at; }
  void pop_of_two() {
    if (heap_is_first()) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      heap_.pop_back();
    } else {
      lane_.pop();
    }
    next_ = lane_.empty() ? never : lane_.front().at;
    if (!heap_.empty()) next_ = std::min(next_, heap_.front().at);
  }

  Instant next_ = never;  // asked for far more often than it changes
  Lane<InOrder> lane_;
  std::vector<OutOfOrder> heap_;
  std::uint64_t order_ = 0;
};

}  // namespace retrystorm
