// The date as HTTP writes it, of one length for ever: so it can be put into a reply in place. And
// read.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string_view>

namespace retrystorm {

// "Sun, 06 Nov 1994 08:49:37 GMT" (IMF-fixdate: RFC 9110, 5.6.7); years of four digits.
using HttpDate = std::array<char, 29>;
HttpDate http_date(std::chrono::sys_seconds at);

// Reads what the above writes; nothing for any other text (the two obsolete forms among them).
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text);

}  // namespace retrystorm
