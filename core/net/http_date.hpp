// The date as HTTP writes it, of one length for ever: so it can be put into a reply in place.
#pragma once

#include <array>
#include <chrono>

namespace retrystorm {

// "Sun, 06 Nov 1994 08:49:37 GMT" (IMF-fixdate: RFC 9110, 5.6.7); years of four digits.
using HttpDate = std::array<char, 29>;
HttpDate http_date(std::chrono::sys_seconds at);

}  // namespace retrystorm
