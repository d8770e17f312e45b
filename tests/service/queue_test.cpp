// The bounded queue as a client meets it: served, waiting, or refused at once.
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;

constexpr const char* id_0 = "Retrystorm-Attempt: 00000000000000ab-7-0\r\n";
constexpr const char* id_1 = "Retrystorm-Attempt: 00000000000000ab-8-3\r\n";

// Whatever is not obeyed holds its worker for an hour.
TEST(Work, IsAsLongAsARequestOfItsOwnRunAsksFor) {
  ServeOptions options = plain_options();
  options.token = 0xab;
  options.scenario.service.workers = 4;
  RunningService service(options);
  const std::string asks = "Retrystorm-Work-Us: 1000\r\n";
  RawPeer own(service.address());
  own.send(get("/", id_0 + asks));
  EXPECT_EQ(own.reply().status, 200);
  RawPeer stranger(service.address());
  stranger.send(get("/", asks));
  RawPeer of_another_run(service.address());
  of_another_run.send(get("/", "Retrystorm-Attempt: 00000000000000ac-7-0\r\n" + asks));
  own.send(get("/", id_1));  // asks for nothing any more
  wait_until([&] { return service->station().busy == 3; }, "three workers are busy");
  service.stop_at_once();
  int completed = 0;
  for (const ArrivalRecord& row : service.arrivals()) {
    if (row.disposition != Disposition::completed) continue;
    ++completed;
    EXPECT_EQ(row.token, 0xabU);
    EXPECT_EQ(row.due - row.started, Duration(1ms).count());
  }
  EXPECT_EQ(completed, 1);
}

TEST(Queue, RefusesAtOnceTheArrivalThatFindsNoPlace) {
  ServeOptions options = plain_options();
  options.scenario.service.queue = 1;
  RunningService service(options);
  RawPeer in_work(service.address());
  in_work.send(get("/", id_0));
  wait_until([&] { return service->station().busy == 1; }, "the worker is busy");
  RawPeer queued(service.address());
  queued.send(get("/", id_1));
  wait_until([&] { return service->station().queued == 1; }, "the queue is full");

  RawPeer refused(service.address());
  refused.send(get("/any/path?at=all"));
  const RawReply reply =
      refused.reply();  // the worker is busy for an hour: this can only be at once

  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.head.find("\r\nRetry-After: "), std::string::npos);
  EXPECT_EQ(reply.head.find("Connection: close"), std::string::npos);
  EXPECT_EQ(service->station().busy, 1U);
  EXPECT_EQ(service->station().queued, 1U);
  EXPECT_EQ(service->counts().refused(Reason::queue_full), 1U);

  service.stop_at_once();
  ASSERT_EQ(service.arrivals().size(), 3U);
  for (const ArrivalRecord& row : service.arrivals()) {
    if (row.disposition == Disposition::refused) {
      EXPECT_EQ(row.token, 0U);  // a stranger
      EXPECT_EQ(row.reason, Reason::queue_full);
      EXPECT_EQ(row.picked, 0);
      EXPECT_GE(row.replied, row.arrived);
    } else {
      EXPECT_EQ(row.token, 0xabU);
      EXPECT_EQ(row.replied, 0);
      const bool held_a_worker = row.picked != 0;
      EXPECT_EQ(row.request, held_a_worker ? 7U : 8U);
      EXPECT_EQ(row.attempt, held_a_worker ? 0U : 3U);
    }
  }
}

TEST(Queue, ServesAKeptConnectionAgainAndAgain) {
  ServeOptions options = plain_options();
  options.scenario.service.work = 1ms;
  RunningService service(options);
  RawPeer client(service.address());
  for (int i = 0; i < 20; ++i) {
    client.send(get("/"));
    EXPECT_EQ(client.reply().status, 200);
  }
  EXPECT_EQ(service.stop().counts.completed, 20U);
  EXPECT_EQ(service->counts().opened, 1U);
}

TEST(Queue, ServesTheWaitingInTheOrderOfTheirArrival) {
  ServeOptions options = plain_options();
  options.scenario.service.work = 5ms;
  options.scenario.service.queue = 4;
  RunningService service(options);
  std::vector<std::unique_ptr<RawPeer>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<RawPeer>(service.address()));
    clients.back()->send(get("/"));
  }
  for (const auto& client : clients) EXPECT_EQ(client->reply().status, 200);
  service.stop();
  ASSERT_EQ(service.arrivals().size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_LE(service.arrivals()[i - 1].arrived, service.arrivals()[i].arrived);
    EXPECT_LE(service.arrivals()[i - 1].due, service.arrivals()[i].started);
  }
}

// Lateness must not add up: a job that follows another starts when that one was due.
TEST(Queue, StartsTheNextWhenTheOneBeforeWasDue) {
  ServeOptions options = plain_options();
  options.scenario.service.work = 20ms;
  options.scenario.service.queue = 9;
  RunningService service(options);
  std::vector<std::unique_ptr<RawPeer>> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(std::make_unique<RawPeer>(service.address()));
    clients.back()->send(get("/"));
  }
  for (const auto& c : clients) EXPECT_EQ(c->reply().status, 200);
  const ServiceReport& report = service.stop();
  std::size_t exact = 0;
  for (std::size_t i = 1; i < service.arrivals().size(); ++i) {
    const ArrivalRecord& before = service.arrivals()[i - 1];
    const ArrivalRecord& row = service.arrivals()[i];
    if (row.started == std::max(before.due, row.arrived)) ++exact;
  }
  // Those whose lateness went beyond one work time are counted, and only they.
  EXPECT_EQ(exact + report.carry_limited, 9U);
}

class WorkKinds : public testing::TestWithParam<WorkKind> {};

TEST_P(WorkKinds, HoldTheWorkerAtLeastForTheWorkTime) {
  ServeOptions options = plain_options();
  options.scenario.service.work_kind = GetParam();
  options.scenario.service.work = 2ms;
  options.scenario.service.workers = 2;
  options.scenario.service.queue = 2;
  RunningService service(options);
  RawPeer one(service.address());
  RawPeer two(service.address());
  for (int i = 0; i < 10; ++i) {
    one.send(get("/"));
    two.send(get("/"));
    EXPECT_EQ(one.reply().status, 200);
    EXPECT_EQ(two.reply().status, 200);
  }
  service.stop();
  for (const ArrivalRecord& row : service.arrivals()) {
    EXPECT_GE(row.finished - row.started, Duration(2ms).count());
  }
}

INSTANTIATE_TEST_SUITE_P(All, WorkKinds,
                         testing::Values(WorkKind::timer, WorkKind::sleep, WorkKind::spin),
                         [](const auto& kind) { return case_name(kind.param); });

TEST(Queue, OfOneLoopAndOfThreeObeysTheSameIdentities) {
  for (const std::uint32_t threads : {1U, 3U}) {
    ServeOptions options = plain_options();
    options.scenario.service.work = 1ms;
    options.scenario.service.workers = 2;
    options.scenario.service.queue = 2;
    options.threads = threads;
    RunningService service(options);
    constexpr int clients = 9;
    constexpr int each = 50;
    std::atomic<std::uint64_t> served{0};
    std::atomic<std::uint64_t> refused{0};
    std::vector<std::thread> crowd;
    for (int c = 0; c < clients; ++c) {
      crowd.emplace_back([&] {
        RawPeer client(service.address());
        for (int i = 0; i < each; ++i) {
          client.send(get("/"));
          const int status = client.reply().status;
          (status == 200 ? served : refused) += status == 200 || status == 503 ? 1 : 0;
        }
      });
    }
    for (std::thread& client : crowd) client.join();
    const ServiceReport& report = service.stop();
    EXPECT_EQ(served + refused, static_cast<std::uint64_t>(clients * each));
    EXPECT_EQ(report.counts.completed, served);
    EXPECT_EQ(report.counts.refused(Reason::queue_full), refused);
    EXPECT_GT(served, 0U);
  }
}

}  // namespace
}  // namespace retrystorm
