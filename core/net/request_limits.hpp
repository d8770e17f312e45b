// How much our servers read of a request.
#pragma once

#include <cstddef>
#include <cstdint>

namespace retrystorm {

inline constexpr std::size_t largest_header = 8192;  // bytes, the request line with it
inline constexpr std::uint64_t largest_body = std::uint64_t{1} << 20;

}  // namespace retrystorm
