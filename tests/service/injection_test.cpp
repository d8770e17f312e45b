// Failures on purpose, as a client meets them.
#include "core/policy/injection.hpp"

#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

std::string id_of(std::uint64_t request) {
  return fmt::format("Retrystorm-Attempt: 00000000000000ab-{}-0\r\n", request);
}

TEST(Injection, RefusesTheAttemptsThatItDrawsAndLetsTheOthersIn) {
  ServeOptions options = plain_options();
  options.scenario.service.fail_rate = 0.5;
  const Injection drawn(options.scenario);
  RunningService service(options);
  RawPeer peer(service.address());
  std::uint64_t refused = 0;
  std::uint64_t request = 0;
  for (; drawn.fails(request, 0) || refused == 0; ++request) {
    if (!drawn.fails(request, 0)) continue;
    peer.send(get("/", id_of(request).c_str()));
    const RawReply reply = peer.reply();
    EXPECT_EQ(reply.status, 503);
    EXPECT_NE(reply.head.find("\r\nRetry-After: 1\r\n"), std::string::npos);
    ++refused;
  }
  EXPECT_EQ(service->counts().refused(Reason::injected), refused);
  EXPECT_EQ(service->station().busy, 0U) << "no worker was asked";
  peer.send(get("/", id_of(request).c_str()));
  wait_until([&] { return service->station().busy == 1; }, "the other has a worker");
}

TEST(Injection, AnswersWithTheStatusThatItIsGiven) {
  ServeOptions options = plain_options();
  options.scenario.service.fail_rate = 1;
  options.scenario.service.fail_status = 500;
  RunningService service(options);
  RawPeer stranger(service.address());
  stranger.send(get("/"));
  const RawReply reply = stranger.reply();
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.head.find("Retry-After"), std::string::npos);
  EXPECT_NE(reply.head.find("\r\nDate: "), std::string::npos);
  service.stop_at_once();
  ASSERT_EQ(service.arrivals().size(), 1U);
  EXPECT_EQ(service.arrivals()[0].reason, Reason::injected);
  EXPECT_EQ(service.arrivals()[0].disposition, Disposition::refused);
}

TEST(RetryAfter, IsWhatTheServiceIsToldToSay) {
  for (const bool none : {false, true}) {
    ServeOptions options = plain_options();
    options.scenario.service.fail_rate = 1;
    options.scenario.service.send_retry_after.reset();
    if (!none) options.scenario.service.send_retry_after = std::chrono::seconds(7);
    RunningService service(options);
    RawPeer peer(service.address());
    peer.send(get("/"));
    EXPECT_EQ(peer.reply().head.find("\r\nRetry-After: 7\r\n") == std::string::npos, none);
  }
}

}  // namespace
}  // namespace retrystorm
