// Any bytes as a request, at once and cut into pieces: the parser says the same of both, and never
// takes more than it was given.
#include "core/net/request_parser.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace {
using namespace retrystorm;

struct Verdict {
  bool done = false;
  int status = 0;
  AttemptId id;
  friend bool operator==(const Verdict& a, const Verdict& b) {
    if (a.done != b.done || a.status != b.status) return false;
    return !a.done || (a.id.token == b.id.token && a.id.request == b.id.request &&
                       a.id.attempt == b.id.attempt);
  }
};

// As a session does it: a buffer of 8 KiB, what is not taken moves to its front.
Verdict parse(const std::uint8_t* data, std::size_t size, std::size_t piece) {
  RequestParser parser(1 << 16);
  std::vector<char> buffer;
  std::size_t at = 0;
  for (;;) {
    while (!parser.is_done() && !buffer.empty()) {
      const auto fed = parser.feed(buffer.data(), buffer.size(), buffer.size() == 8192);
      if (fed.consumed > buffer.size()) std::abort();
      buffer.erase(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(fed.consumed));
      if (fed.status != 0) return {false, fed.status, {}};
      if (fed.need_more) break;
      if (fed.consumed == 0 && !parser.is_done()) std::abort();  // would turn for ever
    }
    if (parser.is_done()) return {true, 0, parser.id()};
    const std::size_t more = std::min({piece, size - at, 8192 - buffer.size()});
    if (more == 0) return {};
    buffer.insert(buffer.end(), data + at, data + at + more);
    at += more;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Verdict whole = parse(data, size, 8192);
  for (const std::size_t piece : {1U, 7U, 64U}) {
    const Verdict cut = parse(data, size, piece);
    // Where something is wrong, which of several faults is met first may depend on the cut; and
    // Beast, once it has had a part of a start line, looks at it again only when the whole head is
    // there.
    if (whole.status != 0 && !cut.done) continue;
    if (!(whole == cut)) std::abort();
  }
  return 0;
}
