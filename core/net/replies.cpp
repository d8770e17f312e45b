#include "core/net/replies.hpp"

#include <algorithm>
#include <cassert>

#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

struct Text {
  std::string_view status;
  std::string_view fields;
  std::string_view body;
};

// In the order of Say.
constexpr std::array<Text, 16> texts = {{
    {"200 OK", "", "done\n"},
    {"200 OK", "", "ok\n"},
    {"100 Continue", "", ""},
    {"404 Not Found", "", "metrics have a port of their own, see --metrics\n"},
    {"404 Not Found", "", "see /metrics and /healthz\n"},
    {"400 Bad Request", "", "malformed request\n"},
    {"405 Method Not Allowed", "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n",
     "method not allowed\n"},
    {"405 Method Not Allowed", "Allow: GET, HEAD\r\n", "GET only\n"},
    {"408 Request Timeout", "", "request too slow\n"},
    {"413 Content Too Large", "", "body too large\n"},
    {"414 URI Too Long", "", "target too long\n"},
    {"417 Expectation Failed", "", "only 100-continue\n"},
    {"431 Request Header Fields Too Large", "", "header too large\n"},
    {"501 Not Implemented", "", "not implemented\n"},
    {"503 Service Unavailable", "", "out of memory\n"},
    {"505 HTTP Version Not Supported", "", "only HTTP/1.0 and HTTP/1.1\n"},
}};

// In the order of Then.
constexpr std::array<std::string_view, 3> connection = {"", "Connection: keep-alive\r\n",
                                                        "Connection: close\r\n"};

std::string status_line(int status) {
  namespace http = boost::beast::http;
  const http::status known = http::int_to_status(static_cast<unsigned>(status));
  if (known == http::status::unknown) return fmt::format("{} Failed", status);
  const auto phrase = http::obsolete_reason(known);
  return fmt::format("{} {}", status, std::string_view(phrase.data(), phrase.size()));
}

// A 503 is the commonest reply of a storm and stays as short as it can be; 100 needs no date
// (RFC 9110, 6.6.1).
constexpr bool has_date(std::string_view status) {
  return !status.starts_with("503") && !status.starts_with("1");
}

}  // namespace

Replies::Replies(std::chrono::sys_seconds now, std::optional<std::chrono::seconds> retry_after,
                 int injected_status)
    : dated_(now) {
  static_assert(texts.size() == says);
  const std::string come_again =
      retry_after ? fmt::format("Retry-After: {}\r\n", retry_after->count()) : std::string();
  const auto prepare = [&, date = http_date(now)](Prepared& prepared, const Text& text) {
    const std::string_view fields = text.status.starts_with("503") ? come_again : text.fields;
    std::string start = fmt::format("HTTP/1.1 {}\r\n", text.status);
    if (has_date(text.status)) {
      start += "Date: ";
      prepared.date_at = start.size();
      start.append(date.data(), date.size()) += "\r\n";
    }
    prepared.body = text.body.size();
    for (std::size_t then = 0; then < connection.size(); ++then) {
      std::string& bytes = prepared.bytes[then];
      bytes = text.status.starts_with("1")
                  ? start + "\r\n"
                  : fmt::format("{}{}{}Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{}",
                                start, fields, connection[then], text.body.size(), text.body);
      assert(bytes.size() <= longest);
    }
  };
  for (std::size_t say = 0; say < says; ++say) prepare(prepared_[say], texts[say]);
  for (const ReasonRow& row : reasons) {
    if (row.status == 0) continue;
    const std::string status =
        status_line(row.reason == Reason::injected ? injected_status : row.status);
    prepare(refusals_[static_cast<std::size_t>(row.reason)], {status, "", row.text});
  }
}

void Replies::set_date(std::chrono::sys_seconds now) {
  if (now == dated_) return;
  dated_ = now;
  const HttpDate date = http_date(now);
  const auto put = [&](Prepared& prepared) {
    if (prepared.date_at == 0) return;
    for (std::string& bytes : prepared.bytes) {
      std::copy(date.begin(), date.end(), bytes.data() + prepared.date_at);
    }
  };
  for (Prepared& prepared : prepared_) put(prepared);
  for (Prepared& prepared : refusals_) put(prepared);
}

Say Replies::for_status(int status) {
  switch (status) {
    case 405:
      return Say::bad_method;
    case 413:
      return Say::too_large;
    case 414:
      return Say::long_target;
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

std::string_view connection_line(Then then) {
  return connection[static_cast<std::size_t>(then)];
}

}  // namespace retrystorm
