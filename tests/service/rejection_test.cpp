// A rejection is the commonest reply of a storm, so it may not allocate; and where memory runs out,
// the service goes on. This program counts every allocation it makes, and can refuse the large
// ones.
#include "core/ledger.hpp"
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"
#include "tests/temporary_directory.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <new>

#include <gtest/gtest.h>

namespace {
std::atomic<std::uint64_t> allocations{0};
std::atomic<bool> large_ones_fail{false};
constexpr std::size_t large = 8192;  // a session takes more, a request takes less
}  // namespace

// Not inlined: seen together they look to the compiler like new and free.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (size < large || !large_ones_fail) {
    if (void* p = std::malloc(size)) return p;
  }
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
  EXPECT_EQ(service->counts().refused(Reason::queue_full), rejections + 1);
}

TEST(OutOfMemory, TurnsAClientAwayAndKeepsTheOthers) {
  RunningService service;
  RawPeer kept(service.address());
  kept.send(get("/healthz"));
  EXPECT_EQ(kept.reply().status, 200);
  large_ones_fail = true;
  RawPeer(service.address()).read_to_end();
  kept.send(get("/healthz"));
  EXPECT_EQ(kept.reply().status, 200);
  large_ones_fail = false;
  RawPeer after(service.address());
  after.send(get("/healthz"));
  EXPECT_EQ(after.reply().status, 200);
  EXPECT_EQ(service.stop().counts.opened, 3U);
}

TEST(OutOfMemory, LosesLedgerRowsAndSaysSo) {
  const TemporaryDirectory directory;
  RecordFileHeader header{};
  header.record_size = sizeof(ArrivalRecord);
  LedgerFile file(directory.path() + "/rows", header);
  constexpr std::uint64_t rows = 10'000;  // more than the buffer has room for at first
  large_ones_fail = true;
  for (std::uint64_t i = 0; i < rows; ++i) file.add(ArrivalRecord{});
  large_ones_fail = false;
  const std::uint64_t lost = file.lost();
  EXPECT_GT(lost, 0U);
  EXPECT_LT(lost, rows);
  EXPECT_NE(file.error().find("out of memory"), std::string::npos);
  file.flush();
  for (std::uint64_t i = 0; i < rows; ++i) file.add(ArrivalRecord{});
  file.flush();
  EXPECT_EQ(file.lost(), lost) << "memory again: what comes now is kept";
  EXPECT_EQ(std::filesystem::file_size(file.path()),
            sizeof header + (2 * rows - lost) * sizeof(ArrivalRecord));
}

}  // namespace
}  // namespace retrystorm
