// JSON at the edge: parsing with one clear error, printing for people, whole numbers as integers.
// What a parsed document must hold is read with core/json_reader.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace retrystorm {

// Parses; throws InvalidInput naming `where` and the offset.
boost::json::value parse_json(std::string_view text, std::string_view where);

// The same for what nobody but a user wrote: UTF-8 without a byte order mark, not empty, and no
// object that has a key twice, because readers disagree on which of the two counts.
boost::json::value parse_strict_json(std::string_view text, std::string_view where);

// Two-space indented text with a final newline; short arrays of scalars stay on one line.
std::string pretty_json(const boost::json::value& value);

// A value as a cell of a table: a string without its quotes, a list with commas.
std::string value_text(const boost::json::value& value);

// Null for nothing, an integer for a whole number below 2^53, a double otherwise (null if not
// finite).
boost::json::value json_number(std::optional<double> number);

}  // namespace retrystorm
