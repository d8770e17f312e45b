// A rejection is the commonest reply of a storm, so it may not allocate; and where memory runs out,
// the service goes on. This program counts every allocation it makes, and can refuse the large
// ones, or all but those of the test itself.
#include "core/error.hpp"
#include "core/ledger.hpp"
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"
#include "tests/temporary_directory.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <vector>

#include <gtest/gtest.h>

namespace {
std::atomic<std::uint64_t> allocations{0};
std::atomic<bool> large_ones_fail{false};
std::atomic<bool> all_fail{false};
thread_local bool spared = false;
constexpr std::size_t large = 8192;  // a session takes more, a request takes less
}  // namespace

// Not inlined: seen together they look to the compiler like new and free.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if ((size < large || !large_ones_fail) && (spared || !all_fail)) {
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

TEST(OutOfMemory, AtTheStartIsSaidInOneLine) {
  Service service(plain_options());
  large_ones_fail = true;
  try {
    service.run();
    ADD_FAILURE() << "it has started";
  } catch (const RunFailed& error) {
    EXPECT_NE(std::string(error.what()).find("out of memory at the start"), std::string::npos);
  }
  large_ones_fail = false;
}

// No memory at all for the service's threads, as long as it lives.
class NoMemory {
 public:
  NoMemory() {
    spared = true;
    all_fail = true;
  }
  ~NoMemory() { all_fail = spared = false; }
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
};

using Clients = std::vector<std::unique_ptr<RawPeer>>;

// Connected, and known to the service.
Clients connect(RunningService& service, int n) {
  Clients clients;
  for (int i = 0; i < n; ++i) {
    clients.push_back(std::make_unique<RawPeer>(service.address()));
    clients.back()->send(get("/healthz"));
    EXPECT_EQ(clients.back()->reply().status, 200);
  }
  return clients;
}

TEST(OutOfMemory, RefusesTheRequestForWhosePlaceThereIsNone) {
  constexpr std::uint64_t at_once = 64;  // places that the queue has memory for from the start
  ServeOptions options = plain_options();
  options.scenario.service.queue = 1000;
  RunningService service(options);
  const Clients clients = connect(service, at_once + 2);
  for (std::uint64_t i = 0; i <= at_once; ++i) clients[i]->send(get("/"));
  wait_until([&] { return service->station().queued == at_once; }, "all wait");
  RawPeer& newest = *clients.back();
  {
    const NoMemory none;
    newest.send(get("/"));
    const RawReply reply = newest.reply();
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.body, "out of resources\n");
    EXPECT_EQ(service->counts().refused(Reason::resources), 1U);
  }
  newest.send(get("/"));
  wait_until([&] { return service->station().queued == at_once + 1; }, "it waits too");
  EXPECT_EQ(service.stop_at_once().counts.refused(), 1U);
}

// Half requests, whole ones, refusals, work done, on one loop and on several: all that a connection
// needs was there before.
TEST(OutOfMemory, ServesThoseThatAreInWhileThereIsNone) {
  for (const std::uint32_t threads : {1U, 2U}) {
    ServeOptions options = plain_options();
    options.threads = threads;
    options.scenario.service.workers = 3;
    options.scenario.service.work = std::chrono::milliseconds(2);
    options.scenario.service.queue = 5;
    RunningService service(options);
    const Clients clients = connect(service, 20);
    std::uint64_t answered = 0;
    {
      const NoMemory none;
      for (int round = 0; round < 20; ++round) {
        for (const auto& client : clients) client->send("GET / HTTP/1.1\r\nHo");
        for (const auto& client : clients) client->send("st: t\r\n\r\n");
        for (const auto& client : clients) {
          const int status = client->reply().status;
          EXPECT_TRUE(status == 200 || status == 503) << status;
          ++answered;
        }
      }
      RawPeer(service.address()).read_to_end();  // the newest is turned away
      wait_until([&] { return service->counts().turned_away == 1; }, "it is counted");
      service->stop();
      EXPECT_TRUE(clients[0]->read_to_end()) << "it ends in order, too";
    }
    const ServiceReport& report = service.stop();
    EXPECT_EQ(report.counts.arrived(), answered);
    EXPECT_EQ(report.counts.refused(), report.counts.refused(Reason::queue_full));
  }
}

TEST(OutOfMemory, IsSaidToWhoeverScrapesAndHealthIsAnswered) {
  ServeOptions options = plain_options();
  options.metrics = Address{"127.0.0.1", 0};
  RunningService service(options);
  RawPeer scraper(*service->metrics_address());
  scraper.send(get("/metrics"));
  EXPECT_EQ(scraper.reply().status, 200);
  {
    const NoMemory none;
    scraper.send(get("/metrics"));
    const RawReply reply = scraper.reply();
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.body, "out of memory\n");
    scraper.send(get("/healthz"));
    EXPECT_EQ(scraper.reply().status, 200);
  }
  scraper.send(get("/metrics"));
  EXPECT_EQ(scraper.reply().status, 200);
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
