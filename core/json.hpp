// JSON at the edge: parsing with one clear error, printing for people, whole numbers as integers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace retrystorm {

// Parses; throws InvalidInput naming `where` and the offset.
boost::json::value parse_json(std::string_view text, std::string_view where);

// Two-space indented text with a final newline; short arrays of scalars stay on one line.
std::string pretty_json(const boost::json::value& value);

// Null for nothing, an integer for a whole number below 2^53, a double otherwise (null if not
// finite).
boost::json::value json_number(std::optional<double> number);

// The number at a key; nothing where it is null or missing.
std::optional<double> number_at(const boost::json::object& object, std::string_view key);

// The member as a number from 0 to 2^53, the nearest one for what is outside; `otherwise` if it is
// missing or no number. For files that anybody may have written.
std::int64_t whole_at(const boost::json::object& object, std::string_view key,
                      std::int64_t otherwise = 0);

// The object or text at a key; throws InvalidInput naming `where` and the key if it is missing or
// of another kind.
const boost::json::object& object_at(const boost::json::object& object, std::string_view key,
                                     std::string_view where);
std::string text_at(const boost::json::object& object, std::string_view key,
                    std::string_view where);

}  // namespace retrystorm
