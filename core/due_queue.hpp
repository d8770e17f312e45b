// What is due when: the earliest first, and what is due at one instant in the order in which it was
// pushed. T has a member `Instant due`. As long as pushes come in order of their instants (one
// constant delay, as most are) they go through a lane; from the first that comes out of order they
// go through a heap until that is empty, so that nobody need know beforehand.
//
// Cost of a push and its pop, n = entries waiting:
//   in order        O(1)       the lane
//   out of order    O(log n)   the heap
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

  // Room for so many in all: pushing up to there allocates nothing.
  void reserve(std::size_t capacity) {
    lane_.reserve(capacity);
    heap_.reserve(capacity);
  }

  // When the first is due; `never` if there is none.
  Instant next() const { return next_; }

  void push(const T& value) {
    next_ = std::min(next_, value.due);
    if (value.due >= latest_ && heap_.empty()) [[likely]] {
      latest_ = value.due;
      lane_.push(value);
    } else {
      push_out_of_order(value);
    }
  }

  // The first; not when empty.
  const T& front() const { return lane_is_first() ? lane_.front() : heap_.front().value; }
  void pop() {
    if (heap_.empty()) [[likely]] {
      lane_.pop();
      next_ = lane_.empty() ? never : lane_.front().due;
    } else {
      pop_of_two();
    }
  }
  void clear() {
    lane_.clear();
    heap_.clear();
    next_ = never;
    latest_ = Instant::min();
  }

  // f(value) for each, in no particular order.
  template <typename F>
  void for_each(F&& f) const {
    for (const T& value : lane_) f(value);
    for (const OutOfOrder& e : heap_) f(e.value);
  }

 private:
  struct OutOfOrder {
    T value;
    std::uint64_t order;  // of its push
  };
  struct Later {
    bool operator()(const OutOfOrder& a, const OutOfOrder& b) const {
      return a.value.due != b.value.due ? a.value.due > b.value.due : a.order > b.order;
    }
  };
  // Apart, so that the usual case is short enough to be inlined.
  [[gnu::noinline]] void push_out_of_order(const T& value) {
    heap_.push_back({value, order_++});
    std::push_heap(heap_.begin(), heap_.end(), Later());
  }
  [[gnu::noinline]] void pop_of_two() {
    if (lane_is_first()) {
      lane_.pop();
    } else {
      std::pop_heap(heap_.begin(), heap_.end(), Later());
      heap_.pop_back();
    }
    next_ = empty() ? never : front().due;
  }
  // With something in either. All in the lane was pushed before all in the heap.
  bool lane_is_first() const {
    if (heap_.empty()) [[likely]]
      return true;
    return !lane_.empty() && lane_.front().due <= heap_.front().value.due;
  }

  Instant next_ = never;             // asked for far more often than it changes
  Instant latest_ = Instant::min();  // that went through the lane
  Lane<T> lane_;
  std::vector<OutOfOrder> heap_;
  std::uint64_t order_ = 0;
};

}  // namespace retrystorm
