// Many badly behaved clients at once, against one loop and against several: the service stands and
// tells its health throughout, and every arrival is accounted for.
#include "core/random.hpp"
#include "tests/seed.hpp"
#include "tests/service/health_watch.hpp"
#include "tests/service/raw_peer.hpp"
#include "tests/service/running_service.hpp"

#include <optional>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;

// One visit of a client that does as it likes.
void misbehave(const Address& address, Random& random) {
  RawPeer peer(address);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string id = fmt::format("Retrystorm-Attempt: 00000000000000ab-{}-0\r\n", random());
  const std::string request =
      below(2) == 0 ? get("/", id)
                    : "POST / HTTP/1.1\r\nHost: t\r\n" + id + "Content-Length: 5\r\n\r\nhello";
  switch (below(6)) {
    case 0:  // leaves in the middle
      peer.send(request.substr(0, below(request.size())));
      break;
    case 1:  // leaves right after it
      peer.send(request);
      break;
    case 2:  // half-closes and waits
      peer.send(request);
      peer.shut_write();
      peer.read_to_end();
      break;
    case 3: {  // several at once, and stays for some of the replies
      std::string many;
      for (int i = 0; i < 5; ++i) many += request;
      peer.send(many);
      for (std::size_t i = below(6); i > 0; --i) peer.reply();
      break;
    }
    case 4: {  // noise
      std::string noise(1 + below(200), ' ');
      for (char& byte : noise) byte = static_cast<char>(random());
      peer.send(noise + "\r\n\r\n");
      break;
    }
    default:  // a good one
      peer.send(request);
      peer.reply();
  }
  if (below(2) == 0) peer.reset();
}

struct Victim {
  const char* what;
  std::uint32_t threads;
  WorkKind kind;
  WorkShape shape;
};

void PrintTo(const Victim& victim, std::ostream* out) {
  *out << victim.what;
}

class Abuse : public testing::TestWithParam<Victim> {};

TEST_P(Abuse, OfEveryKindAtOnceLeavesTheServiceStandingAndTheLedgerExact) {
  ServeOptions options = plain_options();
  options.scenario.service.work = 500us;
  options.scenario.service.workers = 3;
  options.scenario.service.queue = 5;
  options.threads = GetParam().threads;
  options.scenario.service.work_kind = GetParam().kind;
  options.scenario.service.work_shape = GetParam().shape;
  options.limits.head = 200ms;
  options.limits.sweep = 20ms;
  RunningService service(options);
  std::optional<HealthWatch> health(service.address());
  const Seed seed(0);
  std::vector<std::thread> crowd;
  for (std::uint64_t c = 0; c < 6; ++c) {
    crowd.emplace_back([&, c] {
      Random random(seed.value(), Stream::arrivals, c);
      for (int i = 0; i < 150; ++i) misbehave(service.address(), random);
    });
  }
  for (std::thread& client : crowd) client.join();
  health.reset();
  const ServiceReport& report = service.stop();
  EXPECT_GT(report.counts.completed, 0U);
  EXPECT_GT(report.counts.bad_requests, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Services, Abuse,
    testing::Values(Victim{"OneLoop", 1, WorkKind::timer, WorkShape::fixed},
                    Victim{"OneLoopThatSleeps", 1, WorkKind::sleep, WorkShape::exponential},
                    Victim{"ThreeLoops", 3, WorkKind::timer, WorkShape::fixed},
                    Victim{"ThreeLoopsOfVaryingWork", 3, WorkKind::timer, WorkShape::lognormal},
                    Victim{"TwoLoopsThatSpin", 2, WorkKind::spin, WorkShape::fixed}),
    [](const auto& victim) { return victim.param.what; });

}  // namespace
}  // namespace retrystorm
