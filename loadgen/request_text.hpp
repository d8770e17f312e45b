// The bytes of a request, prepared once: only the digits of the id header at their end change from
// attempt to attempt.
#pragma once

#include "core/ledger.hpp"
#include "core/net/url.hpp"
#include "core/units.hpp"
#include "core/version.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace retrystorm::loadgen {

class RequestText {
 public:
  // `work`: what the request asks for; nothing leaves it to the service.
  RequestText(const Url& target, std::uint64_t token, std::optional<Duration> work = {})
      : text_(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: retrystorm/{}\r\n{}{}: {}-",
                          target.path, target.host(), version(), work ? work_line(*work) : "",
                          attempt_header, format_token(token))),
        fixed_(text_.size()) {
    text_.resize(fixed_ + most_digits);
  }

  // The whole request for this attempt; good until the next call. The same attempt gives the same
  // bytes.
  std::string_view of(std::uint64_t request, std::uint32_t attempt) {
    char* at = text_.data() + fixed_;
    char* const end = text_.data() + text_.size();
    at = std::to_chars(at, end, request).ptr;
    *at++ = '-';
    at = std::to_chars(at, end, attempt).ptr;
    constexpr std::string_view last = "\r\n\r\n";
    at += last.copy(at, last.size());
    return {text_.data(), static_cast<std::size_t>(at - text_.data())};
  }

 private:
  static std::string work_line(Duration work) {
    return fmt::format("{}: {}\r\n", work_header, work / std::chrono::microseconds(1));
  }

  static constexpr std::size_t most_digits = 20 + 1 + 10 + 4;

  std::string text_;
  std::size_t fixed_;
};

}  // namespace retrystorm::loadgen
