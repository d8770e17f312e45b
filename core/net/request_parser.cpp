#include "core/net/request_parser.hpp"

#include "core/ledger.hpp"

#include <algorithm>

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>

namespace retrystorm {
namespace {

namespace http = boost::beast::http;
using boost::beast::iequals;

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// The path of a target in origin form or absolute form (RFC 9112, 3.2); empty for none.
std::string_view path_of(std::string_view target) {
  if (const std::size_t scheme = target.find("://");
      !target.starts_with('/') && scheme != std::string_view::npos) {
    const std::size_t slash = target.find('/', scheme + 3);
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  return target.substr(0, target.find('?'));
}

// "METHOD target HTTP/d.d": a version stands there, and it is not one that we speak. Looks no
// further than the version, since the rest of the line may not be there yet.
bool names_another_version(std::string_view bytes) {
  const std::size_t first = bytes.find(' ');
  const std::size_t second = first == std::string_view::npos ? first : bytes.find(' ', first + 1);
  if (second == std::string_view::npos) return false;
  const std::string_view version = bytes.substr(second + 1, 8);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return version.size() == 8 && version.starts_with("HTTP/") && digit(version[5]) &&
         version[6] == '.' && digit(version[7]) && version != "HTTP/1.0" && version != "HTTP/1.1";
}

}  // namespace

RequestParser::Fed RequestParser::feed(const char* bytes, std::size_t size, bool full) {
  Fed fed;
  if (!got_some() && size > 0 && bytes[0] == '\r') {
    // An empty line before a request is to be ignored (RFC 9112, 2.2).
    if (size == 1) return {0, true, 0};
    if (bytes[1] == '\n') {
      fed.consumed = 2;
      return fed;
    }
  }
  // Beast's parser asserts five bytes where a last chunk may begin; that many are always to come.
  if (is_header_done() && chunked() && size < 5) return {0, true, 0};
  Error error;
  fed.consumed = put(boost::asio::const_buffer(bytes, size), error);
  if (error == http::error::need_more) {
    if (full && fed.consumed == 0) {
      fed.status = is_header_done() ? 400 : too_large({bytes, size});
    } else {
      fed.need_more = true;
    }
  } else if (error) {
    fed.status = status_of(error, {bytes, size});
  }
  return fed;
}

void RequestParser::refuse(int status, Error& error) {
  refused_ = status;
  error = http::error::bad_value;
}

int RequestParser::status_of(const Error& error, std::string_view bytes) const {
  if (refused_ != 0) return refused_;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return too_large(bytes);
  }
  if (error == http::error::bad_version) return names_another_version(bytes) ? 505 : 400;
  return 400;
}

// Which part of a header that has no end here is too large (RFC 9112, 3): a method longer than any
// that we know, the target, or the fields.
int RequestParser::too_large(std::string_view bytes) const {
  if (start_line_done_ || bytes.find("\r\n") != std::string_view::npos) return 431;
  return bytes.find(' ') == std::string_view::npos ? 501 : 414;
}

void RequestParser::on_request_impl(http::verb method, Text, Text target, int version,
                                    Error& error) {
  start_line_done_ = true;
  http_1_0_ = version == 10;
  head_ = method == http::verb::head;
  only_reads_ = head_ || method == http::verb::get;
  switch (method) {
    case http::verb::get:
    case http::verb::head:
    case http::verb::post:
    case http::verb::put:
    case http::verb::patch:
    case http::verb::delete_:
    case http::verb::options:
      break;
    case http::verb::connect:
    case http::verb::trace:
      return refuse(405, error);
    default:
      return refuse(501, error);
  }
  const std::string_view path = path_of(view(target));
  if (path == "/healthz") {
    ask_ = Ask::health;
  } else if (path == "/metrics") {
    ask_ = Ask::metrics;
  } else if (!path.starts_with('/') && !(path == "*" && method == http::verb::options)) {
    refuse(400, error);
  }
}

void RequestParser::on_field_impl(http::field field, Text name, Text value, Error&) {
  if (header_done_) return;
  switch (field) {
    case http::field::unknown:
      if (iequals(name, attempt_header)) {
        if (const auto id = parse_attempt_id(view(value))) id_ = *id;
      } else if (iequals(name, work_header)) {
        constexpr std::int64_t most = 3'600'000'000;
        const auto work = parse_integer(view(value));
        if (work && *work > 0 && *work <= most) work_ = std::chrono::microseconds(*work);
      }
      break;
    case http::field::host:
      hosts_ = static_cast<std::uint8_t>(std::min(hosts_ + 1, 2));
      break;
    case http::field::expect:
      (iequals(value, "100-continue") ? expects_continue_ : unknown_expectation_) = true;
      break;
    case http::field::transfer_encoding:
      // Only "chunked" alone: we decode nothing else, and what does not end in it has no end.
      if (!iequals(value, "chunked")) other_encoding_ = true;
      break;
    default:
      break;
  }
}

void RequestParser::on_header_impl(Error& error) {
  header_done_ = true;
  if (hosts_ > 1 || (hosts_ == 0 && !http_1_0_)) return refuse(400, error);
  if (http_1_0_ && (chunked() || other_encoding_)) return refuse(400, error);
  if (other_encoding_) return refuse(chunked() ? 501 : 400, error);
  if (unknown_expectation_) return refuse(417, error);
  if (http_1_0_) expects_continue_ = false;
}

}  // namespace retrystorm
