// How the service ends: in order at the first word, at once at the second, with every row written.
#include "core/error.hpp"
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "service/serve.hpp"
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"

#include <csignal>
#include <cstdio>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;

TEST(Stop, FinishesWhatIsQueuedAndInWork) {
  ServeOptions options = plain_options();
  options.scenario.service.work = 200ms;
  options.scenario.service.queue = 1;
  RunningService service(options);
  RawPeer in_work(service.address());
  RawPeer queued(service.address());
  in_work.send(get("/"));
  queued.send(get("/"));
  wait_until([&] { return service->station().queued == 1; }, "both are in");
  const ServiceReport& report = service.stop();
  for (RawPeer* client : {&in_work, &queued}) {
    const RawReply reply = client->reply();
    EXPECT_EQ(reply.status, 200);
    EXPECT_NE(reply.head.find("Connection: close"), std::string::npos);
    EXPECT_TRUE(client->read_to_end());
  }
  EXPECT_EQ(report.counts.completed, 2U);
  EXPECT_FALSE(report.stopped_at_once);
  EXPECT_FALSE(RawPeer(service.address()).connected());
}

TEST(Stop, ClosesIdleConnectionsAndRefusesWhatStillComes) {
  ServeOptions options = plain_options();
  options.scenario.service.work = 500ms;
  options.scenario.service.queue = 5;
  RunningService service(options);
  RawPeer idle(service.address());
  RawPeer busy(service.address());
  RawPeer half(service.address());
  idle.send(get("/healthz"));
  EXPECT_EQ(idle.reply().status, 200);
  half.send("GET / HTTP/1.1\r\n");
  busy.send(get("/"));
  wait_until([&] { return service->station().busy == 1; }, "the worker is busy");
  service->stop();
  EXPECT_TRUE(idle.read_to_end());  // so it is draining now
  half.send("Host: t\r\n\r\n");
  const RawReply refused = half.reply();
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.head.find("Connection: close"), std::string::npos);
  EXPECT_EQ(busy.reply().status, 200);
  wait_until([&] { return service->counts().completed == 1; }, "the work is done");
  const ServiceReport& report = service.stop();
  EXPECT_EQ(report.counts.refused(Reason::draining), 1U);
  EXPECT_EQ(report.counts.completed, 1U);
}

TEST(Stop, AtOnceLeavesARowForEachUnfinishedArrival) {
  for (const WorkKind kind : {WorkKind::timer, WorkKind::sleep, WorkKind::spin}) {
    ServeOptions options = plain_options();
    options.scenario.service.work_kind = kind;
    options.scenario.service.workers = 2;
    options.scenario.service.queue = 3;
    options.threads = 2;
    RunningService service(options);
    std::vector<std::unique_ptr<RawPeer>> clients;
    for (int i = 0; i < 5; ++i) {
      clients.push_back(std::make_unique<RawPeer>(service.address()));
      clients.back()->send(get("/"));
    }
    wait_until([&] { return service->station().queued == 3; }, "all are in");
    const ServiceReport& report = service.stop_at_once();
    EXPECT_TRUE(report.stopped_at_once);
    EXPECT_EQ(report.counts.unfinished, 5U);
    int in_work = 0;
    for (const ArrivalRecord& row : service.arrivals()) {
      EXPECT_EQ(row.finished, 0);
      if (row.picked != 0) ++in_work;
    }
    EXPECT_EQ(in_work, 2);
  }
}

TEST(Stop, BeforeAnythingCameIsFine) {
  RunningService service;
  EXPECT_EQ(service.stop().counts.arrived(), 0U);
}

TEST(Start, OnATakenPortNamesTheFlag) {
  RunningService first;
  ServeOptions options = plain_options();
  options.listen = first.address();
  try {
    const Service second(options);
    FAIL() << "listened on a taken port";
  } catch (const RunFailed& error) {
    EXPECT_EQ(std::string(error.what()).find("--listen 127.0.0.1:"), 0U) << error.what();
  }
  options.listen = {"127.0.0.1", 0};
  options.metrics = first.address();
  try {
    const Service second(options);
    FAIL() << "listened on a taken port";
  } catch (const RunFailed& error) {
    EXPECT_EQ(std::string(error.what()).find("--metrics 127.0.0.1:"), 0U) << error.what();
  }
}

// The whole verb in a process of its own, with real signals.
class ServeProcess {
 public:
  explicit ServeProcess(const ServeOptions& options) {
    int out[2];
    if (::pipe(out) != 0) return;
    std::fflush(stdout);  // or the child would print it again
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(out[1], STDOUT_FILENO);
      ::close(out[0]);
      ::close(out[1]);
      ::_exit(serve(options));
    }
    ::close(out[1]);
    out_ = ::fdopen(out[0], "r");
  }
  // A test that fails leaves nothing running.
  ~ServeProcess() {
    if (!ended_) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::fclose(out_);
  }
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;

  boost::json::object line() {
    char text[4096];
    if (!::fgets(text, sizeof text, out_)) return {};
    return boost::json::parse(text).as_object();
  }
  void signal(int which) const { ::kill(pid_, which); }
  int exit_code() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  bool ended_ = false;
  FILE* out_ = nullptr;
};

Address address_in(const boost::json::object& line) {
  return parse_address(JsonObject(line, "the first line").text("address"), "address");
}

TEST(Serve, DrainsAtTheFirstSignalAndExitsWithZero) {
  ServeOptions options = plain_options();
  options.scenario.service.work = 200ms;
  options.json = true;
  options.metrics = Address{"127.0.0.1", 0};
  ServeProcess process(options);
  const auto listening = process.line();
  EXPECT_EQ(listening.at("event"), "listening");
  RawPeer client(address_in(listening));
  client.send(get("/"));
  RawPeer other(address_in(listening));
  other.send(get("/"));
  EXPECT_EQ(other.reply().status, 503);  // so the first is in work
  process.signal(SIGTERM);
  EXPECT_EQ(client.reply().status, 200);
  const auto stopped = process.line();
  EXPECT_EQ(stopped.at("event"), "stopped");
  EXPECT_EQ(stopped.at("completed"), 1);
  EXPECT_EQ(stopped.at("refused"), 1);
  EXPECT_EQ(stopped.at("arrived"), 2);
  EXPECT_EQ(process.exit_code(), exit_done);
}

TEST(Serve, SumsUpWhatItCountedInTheOrderThatServeHppTells) {
  ServeOptions options = plain_options();
  options.json = true;
  ServeProcess process(options);
  process.line();
  process.signal(SIGTERM);
  const auto stopped = process.line();
  std::vector<std::string> members;
  for (const auto& member : stopped) members.emplace_back(member.key());
  const std::vector<std::string> told = {"event",
                                         "arrived",
                                         "completed",
                                         "refused",
                                         "refused_by_reason",
                                         "skipped",
                                         "unfinished",
                                         "abandoned_seen",
                                         "seen_later",
                                         "connections",
                                         "connections_over_cap",
                                         "connections_timed_out",
                                         "accept_errors",
                                         "connections_turned_away",
                                         "bad_requests",
                                         "effective_work_ms",
                                         "carry_limited",
                                         "cpu_seconds",
                                         "threads",
                                         "ledger_lost",
                                         "ledger_error",
                                         "ledger_sha256",
                                         "warnings"};
  EXPECT_EQ(members, told);
  const auto& reasons = stopped.at("refused_by_reason").as_object();
  EXPECT_EQ(reasons.size(), 4U);
  EXPECT_TRUE(reasons.contains("queue_full") && reasons.contains("draining") &&
              reasons.contains("resources") && reasons.contains("injected"));
}

TEST(Serve, StopsAtOnceAtTheSecondSignal) {
  ServeOptions options = plain_options();
  options.json = true;
  ServeProcess process(options);
  const auto listening = process.line();
  EXPECT_TRUE(listening.at("metrics").is_null());
  RawPeer client(address_in(listening));
  client.send(get("/"));
  RawPeer other(address_in(listening));
  other.send(get("/"));
  EXPECT_EQ(other.reply().status, 503);
  process.signal(SIGINT);
  EXPECT_TRUE(other.read_to_end());  // it drains, and would for an hour
  process.signal(SIGTERM);
  EXPECT_EQ(process.line().at("unfinished"), 1);
  EXPECT_EQ(process.exit_code(), exit_interrupted);
}

}  // namespace
}  // namespace retrystorm
