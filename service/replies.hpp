// Every reply the service can give, as bytes prepared once: sending one formats and allocates
// nothing.
#pragma once

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
  queue_full,   // 503 with Retry-After
  draining,     // 503 with Retry-After
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
    const Prepared& p = prepared_[static_cast<std::size_t>(say)];
    std::string_view bytes = p.bytes[static_cast<std::size_t>(then)];
    if (head) bytes.remove_suffix(p.body);
    return bytes;
  }

  // What to say for the HTTP status of a bad request.
  static Say for_status(int status);

 private:
  struct Prepared {
    std::array<std::string, 3> bytes;
    std::size_t body = 0;
  };
  static constexpr std::size_t says = 14;
  std::array<Prepared, says> prepared_;
};

}  // namespace retrystorm
