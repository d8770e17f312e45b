#include "service/replies.hpp"

#include <fmt/format.h>

namespace retrystorm {
namespace {

struct Text {
  std::string_view status;
  std::string_view fields;
  std::string_view body;
};

// In the order of Say.
constexpr std::array<Text, 12> texts = {{
    {"200 OK", "", "done\n"},
    {"200 OK", "", "ok\n"},
    {"100 Continue", "", ""},
    {"404 Not Found", "", "metrics have a port of their own, see --metrics\n"},
    {"400 Bad Request", "", "malformed request\n"},
    {"405 Method Not Allowed", "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n",
     "method not allowed\n"},
    {"408 Request Timeout", "", "request too slow\n"},
    {"413 Content Too Large", "", "body too large\n"},
    {"417 Expectation Failed", "", "only 100-continue\n"},
    {"431 Request Header Fields Too Large", "", "header too large\n"},
    {"501 Not Implemented", "", "not implemented\n"},
    {"505 HTTP Version Not Supported", "", "only HTTP/1.0 and HTTP/1.1\n"},
}};

constexpr std::array<std::string_view, 3> connection = {"", "Connection: keep-alive\r\n",
                                                        "Connection: close\r\n"};

// The statuses that a refusal may have.
constexpr std::string_view status_line(int status) {
  return status == 429   ? "429 Too Many Requests"
         : status == 504 ? "504 Gateway Timeout"
                         : "503 Service Unavailable";
}

}  // namespace

Replies::Replies() {
  static_assert(texts.size() == says);
  const auto prepare = [](Prepared& prepared, const Text& text) {
    prepared.body = text.body.size();
    for (std::size_t then = 0; then < connection.size(); ++then) {
      prepared.bytes[then] =
          text.status.starts_with("1")
              ? fmt::format("HTTP/1.1 {}\r\n\r\n", text.status)
              : fmt::format(
                    "HTTP/1.1 {}\r\n{}{}Content-Type: text/plain\r\nContent-Length: "
                    "{}\r\n\r\n{}",
                    text.status, text.fields, connection[then], text.body.size(), text.body);
    }
  };
  for (std::size_t say = 0; say < says; ++say) prepare(prepared_[say], texts[say]);
  for (const ReasonRow& row : reasons) {
    if (row.status == 0) continue;
    prepare(refusals_[static_cast<std::size_t>(row.reason)],
            {status_line(row.status), "Retry-After: 1\r\n", row.text});
  }
}

Say Replies::for_status(int status) {
  switch (status) {
    case 405:
      return Say::bad_method;
    case 413:
      return Say::too_large;
    case 417:
      return Say::expectation;
    case 431:
      return Say::big_header;
    case 501:
      return Say::unknown;
    case 505:
      return Say::bad_version;
    default:
      return Say::malformed;
  }
}

}  // namespace retrystorm
