// A rejection is the commonest reply of a storm, so it may not allocate. This program counts every
// allocation it makes.
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

namespace {
std::atomic<std::uint64_t> allocations{0};
}

// Not inlined: seen together they look to the compiler like new and free.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

namespace retrystorm {
namespace {

TEST(Rejection, AllocatesNothing) {
  RunningService service;
  RawPeer in_work(service.address());
  in_work.send(get("/"));
  wait_until([&] { return service->station().busy == 1; }, "the worker is busy");
  RawPeer client(service.address());
  const std::string request = get("/", "Retrystorm-Attempt: 00000000000000ab-1-0\r\n");
  client.send(request);
  const RawReply first = client.reply();
  EXPECT_EQ(first.status, 503);
  const std::size_t reply_size = first.head.size() + first.body.size();

  constexpr std::uint64_t rejections = 2000;
  const std::uint64_t before = allocations;
  for (std::uint64_t i = 0; i < rejections; ++i) {
    client.send(request);
    ASSERT_TRUE(client.skip(reply_size));
  }
  // The ledger's writer and the sweep may need one now and then, a rejection none.
  EXPECT_LT(allocations - before, rejections / 20);
  EXPECT_EQ(service->counts().refused_full, rejections + 1);
}

}  // namespace
}  // namespace retrystorm
