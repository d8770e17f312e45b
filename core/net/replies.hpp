// Every reply of fixed words that our servers can give, as bytes prepared once: sending one formats
// and allocates nothing. All but a 503 carry a date, which is put into the bytes in place, once a
// second; so what could not be sent at once is to be copied (`longest`).
#pragma once

#include "core/net/http_date.hpp"
#include "core/reason.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace retrystorm {

// What a reply says.
enum class Say : std::size_t {
  done,           // 200: the work is done
  healthy,        // 200 to /healthz
  proceed,        // 100 Continue
  elsewhere,      // 404 to /metrics on the service's port: it has a port of its own
  not_here,       // 404 to anything else on the port of the metrics
  malformed,      // 400
  bad_method,     // 405
  read_only,      // 405 to what only answers GET and HEAD
  too_slow,       // 408
  too_large,      // 413
  long_target,    // 414
  expectation,    // 417
  big_header,     // 431
  unknown,        // 501
  out_of_memory,  // 503 to what takes memory that is not there
  bad_version,    // 505
};

// What the reply says of the connection.
enum class Then : std::size_t { keep, keep_1_0, close };

class Replies {
 public:
  static constexpr std::size_t longest = 320;  // bytes of a reply

  // Dated `now`; a 503 says in Retry-After to come again after so many seconds, or has none. What
  // fails on purpose has that status.
  explicit Replies(std::chrono::sys_seconds now,
                   std::optional<std::chrono::seconds> retry_after = std::chrono::seconds(1),
                   int injected_status = row_of(Reason::injected).status);

  // Dates all from here on; costs nothing while the second is the same.
  void set_date(std::chrono::sys_seconds now);

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
    std::size_t date_at = 0;  // 0: none
  };
  static std::string_view pick(const Prepared& p, Then then, bool head) {
    std::string_view bytes = p.bytes[static_cast<std::size_t>(then)];
    if (head) bytes.remove_suffix(p.body);
    return bytes;
  }
  static constexpr std::size_t says = 16;
  std::array<Prepared, says> prepared_;
  ByReason<Prepared> refusals_;  // empty for a reason that refuses nothing
  std::chrono::sys_seconds dated_;
};

// What a reply to a request says of its connection.
constexpr Then then(bool keep, bool http_1_0) {
  return !keep ? Then::close : http_1_0 ? Then::keep_1_0 : Then::keep;
}
// The line that says it; empty where it goes without saying.
std::string_view connection_line(Then then);

}  // namespace retrystorm
