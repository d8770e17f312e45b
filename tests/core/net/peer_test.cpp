// What a socket tells of its peer, state by state, on a connection of which the test holds both
// ends.
#include "core/net/peer.hpp"

#include "core/net/descriptor.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace retrystorm {
namespace {

class PeerState : public testing::Test {
 protected:
  PeerState() {
    const Descriptor listening(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    ::bind(listening.get(), any, size);
    ::listen(listening.get(), 1);
    ::getsockname(listening.get(), any, &size);
    client = Descriptor(::socket(AF_INET, SOCK_STREAM, 0));
    ::connect(client.get(), any, size);
    service = Descriptor(::accept(listening.get(), nullptr, nullptr));
  }

  static void send_byte(const Descriptor& from) { ::send(from.get(), "x", 1, MSG_NOSIGNAL); }
  void reset_client() {
    const linger at_once{1, 0};
    ::setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    client.reset();
  }
  // Loopback hands things over within the sending call, but nothing promises that.
  Peer look() {
    pollfd events{service.get(), POLLIN | POLLRDHUP, 0};
    ::poll(&events, 1, 10'000);
    return look_at_peer(service.get());
  }

  Descriptor client;
  Descriptor service;
};

TEST_F(PeerState, SilentIsThere) {
  EXPECT_EQ(look_at_peer(service.get()), Peer::there);
}

TEST_F(PeerState, WithUnreadBytesIsThere) {
  send_byte(client);
  EXPECT_EQ(look(), Peer::there);
}

TEST_F(PeerState, AfterItsCloseIsClosedAgainAndAgain) {
  client.reset();
  EXPECT_EQ(look(), Peer::closed);
  EXPECT_EQ(look(), Peer::closed);
}

TEST_F(PeerState, HalfClosedLooksClosed) {
  ::shutdown(client.get(), SHUT_WR);
  EXPECT_EQ(look(), Peer::closed);
}

TEST_F(PeerState, AfterItsResetIsReset) {
  reset_client();
  EXPECT_EQ(look(), Peer::reset);
}

TEST_F(PeerState, ClosedBehindUnreadBytesIsClosed) {
  send_byte(client);
  client.reset();
  pollfd events{service.get(), POLLRDHUP, 0};
  ::poll(&events, 1, 10'000);
  EXPECT_EQ(look(), Peer::closed);
}

TEST_F(PeerState, ResetBehindUnreadBytesIsReset) {
  send_byte(client);
  reset_client();
  pollfd events{service.get(), 0, 0};  // POLLHUP needs no asking
  ::poll(&events, 1, 10'000);
  EXPECT_EQ(look(), Peer::reset);
}

// The client's close and the reply cross on the way: reading shows an end of file only.
TEST_F(PeerState, ThatClosedBeforeOurBytesReachedItIsReset) {
  client.reset();
  EXPECT_EQ(look(), Peer::closed);
  send_byte(service);
  pollfd events{service.get(), 0, 0};
  ::poll(&events, 1, 10'000);
  EXPECT_EQ(look(), Peer::reset);
}

TEST_F(PeerState, ThatEndsInOrderAfterOurOwnEndIsClosedAndNotReset) {
  ::shutdown(service.get(), SHUT_WR);
  client.reset();
  pollfd events{service.get(), 0, 0};
  ::poll(&events, 1, 10'000);
  EXPECT_EQ(look(), Peer::closed);
}

}  // namespace
}  // namespace retrystorm
