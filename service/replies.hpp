// Every reply the service can give, as bytes prepared once: sending one formats and allocates
// nothing.
#pragma once

#include "core/reason.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace retrystorm {

// What a reply says.
enum class Say : std::size_t {
  done,         // 200: the work is done
  healthy,      // 200 to /healthz
  proceed,      // 100 Continue
  elsewhere,    // 404 to /metrics: it has a port of its own
  malformed,    // 400
  bad_method,   // 405
  too_slow,     // 408
  too_large,    // 413
  expectation,  // 417
  big_header,   // 431
  unknown,      // 501
  bad_version,  // 505
};

// What the reply says of the connection.
enum class Then : std::size_t { keep, keep_1_0, close };

class Replies {
 public:
  Replies();

  // The bytes; to HEAD without the body.
  std::string_view get(Say say, Then then, bool head = false) const {
    return pick(prepared_[static_cast<std::size_t>(say)], then, head);
  }

  // The answer to an arrival that is refused for this reason.
  std::string_view refusal(Reason reason, Then then, bool head) const {
    return pick(refusals_[static_cast<std::size_t>(reason)], then, head);
  }

  // What to say for the HTTP status of a bad request.
  static Say for_status(int status);

 private:
  struct Prepared {
    std::array<std::string, 3> bytes;
    std::size_t body = 0;
  };
  static std::string_view pick(const Prepared& p, Then then, bool head) {
    std::string_view bytes = p.bytes[static_cast<std::size_t>(then)];
    if (head) bytes.remove_suffix(p.body);
    return bytes;
  }
  static constexpr std::size_t says = 12;
  std::array<Prepared, says> prepared_;
  ByReason<Prepared> refusals_;  // empty for a reason that refuses nothing
};

}  // namespace retrystorm
