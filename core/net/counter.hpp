// Counts for live metrics: written by one thread, read by any. A plain load and store, no locked
// instruction, so that a count on the hot path costs about a nanosecond. Merged when somebody asks.
#pragma once

#include "core/units.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace retrystorm {

// A number that only one thread changes. Who reads it sees everything counted before it, too.
class Counter {
 public:
  Counter() = default;
  // A copy begins where the original stood: so a sum over threads is made of counters, too.
  Counter(const Counter& other) : value_(other.read()) {}
  Counter& operator=(const Counter& other) {
    value_.store(other.read(), std::memory_order_release);
    return *this;
  }

  void add(std::uint64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_release);
  }
  std::uint64_t read() const { return value_.load(std::memory_order_acquire); }
  operator std::uint64_t() const { return read(); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// The upper bounds of a histogram's buckets, rising; one more bucket takes what lies beyond.
class BucketBounds {
 public:
  static constexpr std::size_t most = 24;

  // `unit` times each of `multiples` (at most `most` of them, rising).
  BucketBounds(Duration unit, const std::vector<double>& multiples);

  // The bucket of a value: the first whose bound is not below it.
  std::size_t bucket(Duration value) const {
    std::size_t b = 0;
    while (b < bounds_.size() && bounds_[b] < value) ++b;
    return b;
  }
  const std::vector<Duration>& bounds() const { return bounds_; }

 private:
  std::vector<Duration> bounds_;
};

// How many durations fell into each bucket, and their sum. One writing thread.
class BucketCounts {
 public:
  void add(const BucketBounds& bounds, Duration value) {
    counts_[bounds.bucket(value)].add();
    sum_.add(static_cast<std::uint64_t>(value.count() < 0 ? 0 : value.count()));
  }
  // Adds what another thread has counted.
  void add(const BucketCounts& other);
  std::uint64_t count(std::size_t bucket) const { return counts_[bucket].read(); }
  // In nanoseconds.
  std::uint64_t sum() const { return sum_.read(); }

 private:
  std::array<Counter, BucketBounds::most + 1> counts_;
  Counter sum_;
};

}  // namespace retrystorm
