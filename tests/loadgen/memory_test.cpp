// A run's memory may follow what is in flight, never how many requests have been made. This program
// counts the memory it holds, and can refuse the large pieces.
#include "loadgen/connection.hpp"
#include "tests/loadgen/run_generator.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {
std::atomic<std::int64_t> held{0};
std::atomic<std::int64_t> most_held{0};
std::atomic<bool> large_ones_fail{false};
constexpr std::size_t large = 8192;  // a connection takes more, a request takes less
}  // namespace

// Not inlined: seen together they look to the compiler like new and free.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const p = size < large || !large_ones_fail ? std::malloc(size) : nullptr;
  if (p == nullptr) throw std::bad_alloc();
  const auto more = static_cast<std::int64_t>(::malloc_usable_size(p));
  const std::int64_t now = held.fetch_add(more) + more;
  if (now > most_held) most_held = now;  // as good as exact: it is one thread that works
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  if (p != nullptr) held -= static_cast<std::int64_t>(::malloc_usable_size(p));
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  operator delete(p);
}

namespace retrystorm::loadgen {
namespace {

// The most that a run of this length held, beyond what there was before. It always has as much in
// flight as it may.
std::int64_t most_held_in(Duration length) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 1);
  options.scenario.client.rate = 20'000;
  options.scenario.client.duration = length;
  options.scenario.client.max_in_flight = 20;
  options.scenario.client.retries = 1;
  options.scenario.client.timeout = 2ms;
  const std::int64_t before = held;
  most_held = before;
  const Result r = run_generator(options);
  EXPECT_EQ(r.seen.most_in_flight, 20U);
  return most_held - before;
}

// A connection that is closed is used again when its last handler has run: after a stall, one turn
// of the loop may close and open many. So many may come on top, however long the run.
constexpr auto spare = static_cast<std::int64_t>(128 * sizeof(Connection));
static_assert(spare < 98'000 * 16, "a record of each further request must not hide in it");

TEST(GeneratorMemory, IsFlatHoweverManyRequestsThereAre) {
  most_held_in(100ms);  // what is made once for all
  const std::int64_t few = most_held_in(100ms);
  const std::int64_t many = most_held_in(5s);
  EXPECT_LT(many, few + spare);
}

TEST(GeneratorOutOfMemory, IsNamedForEachRequestThatItKeptFromBeingSent) {
  const Void nothing;
  Generator generator(options_for(nothing.url(), 20));
  large_ones_fail = true;
  generator.start([] { large_ones_fail = false; });
  const Result r = generator.wait();
  expect_balanced(r);
  EXPECT_EQ(count(r.seen.unsent, Reason::memory), 20U);
}

}  // namespace
}  // namespace retrystorm::loadgen
