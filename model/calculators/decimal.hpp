// Decimal text as an exact integer: 99.9 with four decimals is 999000. For figures that must not
// pass through a binary fraction.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace retrystorm {

// `text` times 10^decimals; nothing for what is no plain decimal number without sign, has more
// decimals than that, or does not fit.
std::optional<std::int64_t> parse_decimal(std::string_view text, int decimals);

}  // namespace retrystorm
