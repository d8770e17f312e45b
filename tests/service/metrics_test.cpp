// What Prometheus sees: well-formed, conventional names, and the same numbers as the ledger's.
#include "core/reason.hpp"
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"

#include <map>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;

// Samples by name with labels, and the type of each family, from the text format 0.0.4.
struct Exposition {
  std::map<std::string, double> samples;
  std::map<std::string, std::string> types;
  std::map<std::string, std::string> helps;
};

Exposition scrape(const Address& address) {
  RawPeer prometheus(address);
  prometheus.send(get("/metrics"));
  const RawReply reply = prometheus.reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.head.find("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"),
            std::string::npos);
  static const std::regex sample(
      R"(^([a-z_]+(?:\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\})?) (\S+)$)");
  Exposition all;
  std::istringstream lines(reply.body);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, kind, name, rest;
    std::smatch match;
    if (line.starts_with("# ")) {
      words >> hash >> kind >> name;
      std::getline(words >> std::ws, rest);
      (kind == "TYPE" ? all.types : all.helps)[name] = rest;
    } else if (std::regex_match(line, match, sample)) {
      all.samples[match[1]] = std::stod(match[2]);
    } else {
      ADD_FAILURE() << "not a sample: " << line;
    }
  }
  return all;
}

ServeOptions with_metrics() {
  ServeOptions options = plain_options();
  options.metrics = Address{"127.0.0.1", 0};
  options.scenario.service.workers = 2;
  options.scenario.service.queue = 3;
  return options;
}

TEST(Metrics, NameAndDescribeEachFamilyAsPrometheusWantsIt) {
  RunningService service(with_metrics());
  const Exposition all = scrape(*service->metrics_address());
  EXPECT_GE(all.types.size(), 15U);
  for (const auto& [name, type] : all.types) {
    EXPECT_TRUE(name.starts_with("retrystorm_")) << name;
    EXPECT_EQ(name.ends_with("_total"), type == "counter") << name;
    EXPECT_TRUE(type != "histogram" || name.ends_with("_seconds")) << name;
    EXPECT_TRUE(all.helps.contains(name)) << name;
    EXPECT_TRUE(all.helps.at(name).ends_with(".")) << name;
  }
}

TEST(Metrics, ShowTheQueueAndTheWorkersNow) {
  RunningService service(with_metrics());
  std::vector<std::unique_ptr<RawPeer>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<RawPeer>(service.address()));
    clients.back()->send(get("/"));
  }
  wait_until([&] { return service->station().queued == 1; }, "all are in");
  auto all = scrape(*service->metrics_address()).samples;
  EXPECT_EQ(all.at("retrystorm_workers"), 2);
  EXPECT_EQ(all.at("retrystorm_workers_busy"), 2);
  EXPECT_EQ(all.at("retrystorm_queue_places"), 3);
  EXPECT_EQ(all.at("retrystorm_queue_length"), 1);
  EXPECT_EQ(all.at("retrystorm_connections"), 3);
}

TEST(Metrics, ShowHowLongTheOldestHasWaitedAndIsStillWaiting) {
  RunningService service(with_metrics());
  const auto longest = [&] {
    return scrape(*service->metrics_address()).samples.at("retrystorm_queue_longest_wait_seconds");
  };
  std::vector<std::unique_ptr<RawPeer>> clients;
  const auto come = [&] {
    clients.push_back(std::make_unique<RawPeer>(service.address()));
    clients.back()->send(get("/"));
  };
  come(), come();
  wait_until([&] { return service->station().busy == 2; }, "both are in work");
  EXPECT_EQ(longest(), 0) << "nobody waits";
  come();
  wait_until([&] { return service->station().queued == 1; }, "one waits");
  const double first = longest();
  EXPECT_GT(first, 0);
  come();
  wait_until([&] { return service->station().queued == 2; }, "two wait");
  EXPECT_GT(longest(), first) << "the second has waited less";
}

TEST(Metrics, ShowTheUsefulQueueOfTheScenario) {
  ServeOptions options = with_metrics();
  options.scenario.service.workers = 20;
  options.scenario.service.work = 20ms;
  RunningService service(options);
  auto all = scrape(*service->metrics_address()).samples;
  EXPECT_EQ(all.at("retrystorm_useful_queue"),
            static_cast<double>(*useful_queue(options.scenario)));
}

TEST(Metrics, AgreeWithTheLedger) {
  ServeOptions options = with_metrics();
  options.scenario.service.work = 20ms;
  options.threads = 2;
  RunningService service(options);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<RawPeer>> clients;
    for (int i = 0; i < 8; ++i) {  // more than workers and places
      clients.push_back(std::make_unique<RawPeer>(service.address()));
      clients.back()->send(get("/"));
    }
    clients[0]->shut_write();
    for (const auto& client : clients) client->reply();
  }
  wait_until([&] { return service->counts().arrived() == 24; }, "all have ended");
  const auto all = scrape(*service->metrics_address()).samples;
  service.stop();
  double completed = 0, refused = 0, gone = 0, useful = 0, abandoned = 0;
  for (const ArrivalRecord& row : service.arrivals()) {
    completed += row.disposition == Disposition::completed;
    refused += row.disposition == Disposition::refused;
    gone += row.seen_gone == SeenGone::at_reply;
    (row.seen_gone == SeenGone::no ? useful : abandoned) +=
        static_cast<double>(row.finished - row.picked) * 1e-9;
  }
  EXPECT_EQ(all.at("retrystorm_completed_total"), completed);
  EXPECT_EQ(all.at(R"(retrystorm_arrivals_total{disposition="completed",reason="none"})"),
            completed);
  EXPECT_EQ(all.at(R"(retrystorm_arrivals_total{disposition="refused",reason="queue_full"})"),
            refused);
  EXPECT_EQ(all.at("retrystorm_abandoned_seen_total"), gone);
  EXPECT_EQ(all.at("retrystorm_sojourn_seconds_count"), completed);
  EXPECT_EQ(all.at(R"(retrystorm_sojourn_seconds_bucket{le="+Inf"})"), completed);
  EXPECT_NEAR(all.at("retrystorm_work_seconds_sum"), useful + abandoned, 1e-6);
  EXPECT_NEAR(all.at(R"(retrystorm_worker_seconds_total{use="useful"})"), useful, 1e-6);
  EXPECT_NEAR(all.at(R"(retrystorm_worker_seconds_total{use="abandoned"})"), abandoned, 1e-6);
  EXPECT_GT(refused, 0);
  EXPECT_GT(gone, 0);
}

TEST(Metrics, NameNoRefusalThatTakesAnAdmissionPolicy) {
  RunningService service(with_metrics());
  const auto all = scrape(*service->metrics_address()).samples;
  for (const ReasonRow& row : reasons) {
    EXPECT_EQ(all.count(fmt::format(
                  R"(retrystorm_arrivals_total{{disposition="refused",reason="{}"}})", row.name)),
              refuses_without_admission(row) ? 1U : 0U)
        << row.name;
  }
}

TEST(Metrics, AreServedOnAPortOfTheirOwnOnly) {
  RunningService service(with_metrics());
  RawPeer client(*service->metrics_address());
  client.send(get("/healthz"));
  EXPECT_EQ(client.reply().body, "ok\n");
  client.send(get("/nothing"));
  EXPECT_EQ(client.reply().status, 404);
  client.send("POST /metrics HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(client.reply().status, 405);
  client.send("HEAD /metrics HTTP/1.1\r\nHost: t\r\n\r\n");
  const RawReply head = client.reply(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.head.find("Content-Length: 0\r\n"), std::string::npos);
  client.send("nonsense\r\n\r\n");
  client.read_to_end();
  EXPECT_EQ(scrape(*service->metrics_address()).samples.at("retrystorm_completed_total"), 0);
}

}  // namespace
}  // namespace retrystorm
