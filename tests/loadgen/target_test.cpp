// Hosts with several addresses, and what a request says of them. All of it on the loopback
// interface.
#include "loadgen/target.hpp"

#include "loadgen/machine.hpp"
#include "tests/loadgen/run_generator.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace retrystorm::loadgen {
namespace {

// A listener on a free port of ::1; port 0 where the machine has no IPv6.
class ListenerOnSix {
 public:
  ListenerOnSix() : socket_(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_loopback;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (socket_ >= 0 && ::bind(socket_, generic, size) == 0 && ::listen(socket_, 8) == 0 &&
        ::getsockname(socket_, generic, &size) == 0) {
      port = ntohs(address.sin6_port);
    }
  }
  ~ListenerOnSix() { ::close(socket_); }
  ListenerOnSix(const ListenerOnSix&) = delete;
  ListenerOnSix& operator=(const ListenerOnSix&) = delete;

  std::uint16_t port = 0;

 private:
  int socket_;
};

TEST(GeneratorTarget, LocalhostFallsBackToSix) {
  const ListenerOnSix listener;
  if (listener.port == 0) GTEST_SKIP() << "no IPv6 here";
  EXPECT_EQ(answering({{"127.0.0.1", listener.port}, {"::1", listener.port}}).host, "::1");
}

TEST(GeneratorTarget, IsTheFirstAddressWhereSomebodyListens) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  const std::uint16_t port = peer.url().address.port;
  EXPECT_EQ(answering({{"127.0.0.1", port}, {"::1", port}}).host, "127.0.0.1");
}

TEST(GeneratorTarget, IsTheFirstAddressWhereNobodyListensAnywhere) {
  const Nobody nobody;
  const std::uint16_t port = nobody.url().address.port;
  EXPECT_EQ(answering({{"127.0.0.1", port}, {"127.0.0.2", port}}).host, "127.0.0.1");
}

TEST(GeneratorTarget, ASingleAddressIsNotAskedBefore) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  const Result r = run_generator(resolve(options_for(peer.url(), 10)));
  EXPECT_EQ(peer.accepted(), r.connections);
}

TEST(GeneratorTarget, IsLoadedByItsNameAndCalledAsTheUserCallsIt) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  const std::string host = fmt::format("LocalHost:{}", peer.url().address.port);
  const LoadOptions options =
      resolve(options_for(parse_url(fmt::format("HTTP://{}?a=b", host), "URL"), 10));
  EXPECT_EQ(options.target.address.text(), peer.url().address.text());
  EXPECT_EQ(options.target.text(), fmt::format("http://{}/?a=b", host));
  EXPECT_EQ(count(run_generator(options), RequestOutcome::succeeded), 10U);
  for (const Heard& h : peer.heard()) {
    EXPECT_EQ(h.head.find(fmt::format("GET /?a=b HTTP/1.1\r\nHost: {}\r\n", host)), 0U) << h.head;
  }
}

TEST(GeneratorTarget, OfTheLongestPathIsAskedForWhole) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  Url url = peer.url();
  url.path = "/" + std::string(longest_target - 1, 'x');
  EXPECT_EQ(count(run_generator(options_for(url, 5)), RequestOutcome::succeeded), 5U);
  EXPECT_EQ(peer.heard().front().head.find(fmt::format("GET {} HTTP/1.1\r\n", url.path)), 0U);
}

}  // namespace
}  // namespace retrystorm::loadgen
