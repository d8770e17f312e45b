// Every way a reply can come in, cut at every byte, without a socket.
#include "loadgen/reply.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace retrystorm::loadgen {
namespace {

// Feeds `text` in pieces of at most `piece` bytes until the reply is no longer `more`.
Reply::State feed(Reply& reply, std::string_view text, std::size_t piece) {
  Reply::State state = Reply::State::more;
  while (state == Reply::State::more && !text.empty()) {
    const auto room = reply.room();
    const std::size_t n = std::min({piece, text.size(), room.size()});
    text.copy(room.data(), n);
    text.remove_prefix(n);
    state = reply.take(n);
  }
  return state;
}

// A status line, a header of so many bytes and an empty line, of a reply with a body of one.
std::string header_of(std::size_t bytes) {
  const std::string begin = "Content-Length: 1\r\nX: ";
  const std::string end = "\r\n";
  return "HTTP/1.1 200 OK\r\n" + begin + std::string(bytes - begin.size() - end.size(), 'h') + end +
         "\r\n";
}

struct Whole {
  const char* what;
  std::string text;
  unsigned status;
  bool keeps;
};

const Whole wholes[] = {
    {"content length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n", 200, true},
    {"no body", "HTTP/1.1 204 No Content\r\n\r\n", 204, true},
    {"empty body", "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n", 503, true},
    {"chunked",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\na\r\n0123456789\r\n0\r\n"
     "Trailer: t\r\n\r\n",
     200, true},
    {"close", "HTTP/1.1 429 Slow\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", 429, false},
    {"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, false},
    {"HTTP/1.0 kept", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx",
     200, true},
    {"no reason phrase", "HTTP/1.1 500 \r\nContent-Length: 0\r\n\r\n", 500, true},
    {"interim first",
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
     200, true},
    {"large body", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + std::string(100000, 'b'),
     200, true},
    {"large header",
     "HTTP/1.1 200 OK\r\nX: " + std::string(7000, 'h') + "\r\nContent-Length: 1\r\n\r\nx", 200,
     true},
    {"header longer than a page", header_of(30'000) + "x", 200, true},
    {"longest header", header_of(longest_reply_header) + "x", 200, true},
};

TEST(Reply, IsWholeHoweverItIsCut) {
  for (const Whole& w : wholes) {
    for (const std::size_t piece : {1, 2, 3, 7, 100, 4096, 1000000}) {
      Reply reply;
      ASSERT_EQ(feed(reply, w.text, piece), Reply::State::whole) << w.what << " by " << piece;
      EXPECT_EQ(reply.status(), w.status) << w.what;
      EXPECT_EQ(reply.keeps_connection(), w.keeps) << w.what;
    }
  }
}

TEST(Reply, IsNotWholeBeforeItsLastByte) {
  for (const Whole& w : wholes) {
    for (std::size_t cut = 0; cut < std::min<std::size_t>(w.text.size(), 200); ++cut) {
      Reply reply;
      ASSERT_EQ(feed(reply, w.text.substr(0, cut), 1000), Reply::State::more)
          << w.what << " " << cut;
      EXPECT_EQ(reply.begun(), cut > 0);
      EXPECT_EQ(reply.end(), Reply::State::bad) << w.what << " cut at " << cut;
    }
  }
}

TEST(Reply, WithoutLengthEndsWithTheConnection) {
  Reply reply;
  ASSERT_EQ(feed(reply, "HTTP/1.1 200 OK\r\n\r\nsome bytes", 4), Reply::State::more);
  EXPECT_EQ(reply.end(), Reply::State::whole);
  EXPECT_EQ(reply.status(), 200U);
  EXPECT_FALSE(reply.keeps_connection());
}

TEST(Reply, WithBytesBehindItDoesNotKeepTheConnection) {
  Reply reply;
  ASSERT_EQ(feed(reply, wholes[0].text + "HTTP/1.1 200 OK", 1000), Reply::State::whole);
  EXPECT_FALSE(reply.keeps_connection());
}

struct Unreadable {
  std::string text;
  Reason why;
};

const Unreadable unreadable[] = {
    {"SSH-2.0-OpenSSH_9.2\r\n\r\n", Reason::bad_reply},
    {"HTTP/9.9 200 OK\r\n\r\n", Reason::bad_reply},
    {"HTTP/1.1 abc OK\r\n\r\n", Reason::bad_reply},
    {std::string(10000, '\0'), Reason::bad_reply},
    {std::string(70'000, 'H'), Reason::bad_reply},
    {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", Reason::bad_length},
    {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n", Reason::bad_length},
    {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", Reason::bad_length},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Reason::bad_chunk},
    {"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", Reason::bad_header},
    {header_of(longest_reply_header + 1) + "x", Reason::long_header},
    {"HTTP/1.1 200 OK\r\nX: " + std::string(200'000, 'h'), Reason::long_header},
};

TEST(Reply, ThatCannotBeReadSaysWhy) {
  for (const auto& [text, why] : unreadable) {
    for (const std::size_t piece : {1, 5, 8192}) {
      Reply reply;
      EXPECT_EQ(feed(reply, text, piece), Reply::State::bad) << text.substr(0, 60) << " " << piece;
      EXPECT_EQ(name(reply.why()), name(why)) << text.substr(0, 60) << " " << piece;
      reply.start();
      EXPECT_EQ(reply.why(), Reason::none);
    }
  }
}

TEST(Reply, IsReadyForTheNext) {
  Reply reply;
  for (const Whole& w : wholes) {
    ASSERT_EQ(feed(reply, w.text, 50), Reply::State::whole) << w.what;
    EXPECT_EQ(reply.status(), w.status);
    reply.start();
    EXPECT_FALSE(reply.begun());
  }
}

}  // namespace
}  // namespace retrystorm::loadgen
