// A whole number of a JSON file that anybody may have written.
#pragma once

#include "core/json.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <boost/json/object.hpp>

namespace retrystorm {

// The member as a number from 0 to 2^53, the nearest one for what is outside; `otherwise` if it is
// missing or no number.
inline std::int64_t whole_at(const boost::json::object& object, std::string_view key,
                             std::int64_t otherwise = 0) {
  constexpr double most = 9007199254740992.0;
  const auto number = number_at(object, key);
  return number ? static_cast<std::int64_t>(std::clamp(*number, 0.0, most)) : otherwise;
}

}  // namespace retrystorm
