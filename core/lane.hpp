// A first-in first-out lane that grows when full: Boost's circular buffer with doubling. Events
// with one constant delay leave in the order they came, so a lane does for them what a heap would
// do at ten times the cost.
#pragma once

#include <cstddef>

#include <boost/circular_buffer.hpp>

namespace retrystorm {

template <typename T>
class Lane {
 public:
  explicit Lane(std::size_t capacity = 64) : ring_(capacity) {}

  bool empty() const { return ring_.empty(); }
  std::size_t size() const { return ring_.size(); }
  const T& front() const { return ring_.front(); }
  T& front() { return ring_.front(); }
  const T& back() const { return ring_.back(); }
  T& back() { return ring_.back(); }
  T& operator[](std::size_t i) { return ring_[i]; }
  void pop() { ring_.pop_front(); }
  void pop_back() { ring_.pop_back(); }
  void clear() { ring_.clear(); }
  auto begin() const { return ring_.begin(); }
  auto end() const { return ring_.end(); }
  // Room for so many in all: pushing up to there allocates nothing.
  void reserve(std::size_t capacity) {
    if (capacity > ring_.capacity()) ring_.set_capacity(capacity);
  }
  void push(const T& value) {
    if (ring_.full()) [[unlikely]]
      grow();
    ring_.push_back(value);
  }

 private:
  [[gnu::noinline]] void grow() { ring_.set_capacity(2 * ring_.capacity()); }

  boost::circular_buffer<T> ring_;
};

}  // namespace retrystorm
