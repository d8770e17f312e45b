// The parser alone, on bytes: what it keeps of a request, and that it does not matter how the bytes
// were cut on their way.
#include "core/net/request_parser.hpp"

#include "core/random.hpp"
#include "tests/seed.hpp"

#include <chrono>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

struct Parsed {
  bool whole = false;
  int status = 0;
  Ask ask = Ask::other;
  bool keeps = false;
  AttemptId id;
  std::size_t consumed = 0;
};

// Feeds `bytes` as they come in pieces of the sizes that `next_piece` gives.
template <typename NextPiece>
Parsed parse(const std::string& bytes, NextPiece&& next_piece) {
  RequestParser parser(1000);
  Parsed parsed;
  std::size_t there = 0;
  while (there < bytes.size() && !parser.is_done() && parsed.status == 0) {
    there = std::min(bytes.size(), there + next_piece());
    while (parsed.consumed < there && !parser.is_done()) {
      const std::size_t size = there - parsed.consumed;
      // A buffer of its own size, so that reading beyond it is seen.
      const std::string piece = bytes.substr(parsed.consumed, size);
      const auto fed = parser.feed(piece.data(), size, size >= 8192);
      parsed.consumed += fed.consumed;
      parsed.status = fed.status;
      if (fed.need_more || fed.status != 0) break;
    }
  }
  parsed.whole = parser.is_done() && parsed.status == 0;
  if (!parsed.whole) return parsed;
  parsed.ask = parser.ask();
  parsed.keeps = parser.keep_alive();
  parsed.id = parser.id();
  return parsed;
}

Parsed parse(const std::string& bytes) {
  return parse(bytes, [&] { return bytes.size(); });
}

TEST(RequestParser, KeepsTheIdWhateverItsCase) {
  const Parsed parsed =
      parse("GET / HTTP/1.1\r\nHost: t\r\nretrystorm-ATTEMPT:  00000000000000ff-12-3 \r\n\r\n");
  EXPECT_TRUE(parsed.whole);
  EXPECT_EQ(parsed.id.token, 0xffU);
  EXPECT_EQ(parsed.id.request, 12U);
  EXPECT_EQ(parsed.id.attempt, 3U);
}

TEST(RequestParser, KeepsTheWorkThatIsAskedForIfItIsOne) {
  const auto work = [](const std::string& value) {
    const std::string bytes =
        "GET / HTTP/1.1\r\nHost: t\r\nretrystorm-work-us: " + value + "\r\n\r\n";
    RequestParser parser(1000);
    parser.feed(bytes.data(), bytes.size(), false);
    EXPECT_TRUE(parser.is_done()) << value;
    return parser.work();
  };
  EXPECT_EQ(work("20000"), 20ms);
  EXPECT_EQ(work("3600000000"), 1h);
  for (const char* other : {"", "0", "-5", "20ms", "1.5", "3600000001", "99999999999999999999"}) {
    EXPECT_EQ(work(other), 0ms) << other;
  }
}

TEST(RequestParser, TakesNoIdFromATrailer) {
  const Parsed parsed = parse(
      "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\nRetrystorm-Attempt: 00000000000000ff-12-3\r\n\r\n");
  EXPECT_TRUE(parsed.whole);
  EXPECT_EQ(parsed.id.token, 0U);
}

TEST(RequestParser, StopsWhereTheNextRequestBegins) {
  const std::string first = "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\nab";
  EXPECT_EQ(parse(first + "GET /").consumed, first.size());
}

const std::string requests[] = {
    "GET /healthz HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n",
    "POST /x?y=z HTTP/1.1\r\nHost: t\r\nRetrystorm-Attempt: 00000000000000ff-1-0\r\n"
    "Content-Length: 11\r\n\r\nhello world",
    "PUT http://h:80/p HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\nExpect: "
    "100-continue\r\n\r\n5;n=\"v\"\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: x\r\n\r\n",
    "\r\nHEAD /metrics HTTP/1.0\r\nConnection: keep-alive, x\r\nFold: a\r\n b\r\n\r\n",
    "DELETE / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
};

// One to three random edits.
std::string mutate(std::string bytes, Random& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string interesting("\r\n :;,\0\x7f\xff-0f", 13);
  for (std::size_t edits = below(4); edits > 0 && !bytes.empty(); --edits) {
    const std::size_t at = below(bytes.size());
    switch (below(4)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = interesting[below(interesting.size())];
        break;
      case 2:
        bytes.erase(at, 1 + below(5));
        break;
      default:
        bytes.insert(at, bytes.substr(below(bytes.size()), below(12)));
    }
  }
  return bytes;
}

TEST(RequestParser, DoesNotCareHowTheBytesWereCut) {
  const Seed seed(1);
  Random random(seed.value());
  std::size_t wholes = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 30'000; ++i) {
    const std::string bytes =
        mutate(requests[static_cast<std::size_t>(i) % std::size(requests)], random);
    const Parsed once = parse(bytes);
    const bool byte_by_byte = i % 2 == 0;
    const Parsed cut =
        parse(bytes, [&]() -> std::size_t { return byte_by_byte ? 1 : 1 + random() % 20; });
    if (once.whole) {
      ++wholes;
      ASSERT_TRUE(cut.whole) << bytes;
      EXPECT_EQ(cut.ask, once.ask);
      EXPECT_EQ(cut.keeps, once.keeps);
      EXPECT_EQ(cut.id.request, once.id.request);
      EXPECT_EQ(cut.consumed, once.consumed);
    } else if (once.status != 0) {
      ++refused;
      // In pieces it may wait in vain for the end of the header instead, which a deadline ends.
      EXPECT_TRUE(!cut.whole && (cut.status == 0 || cut.status == once.status)) << bytes;
    } else {
      EXPECT_FALSE(cut.whole) << bytes;
    }
  }
  // The mutations reach both kinds.
  EXPECT_GT(wholes, 1000U);
  EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace retrystorm
