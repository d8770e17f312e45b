// The calculators' input: JSON read strictly, so that no number is rounded and no field counted
// twice. What the fields mean stands with each calculator.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace retrystorm {

inline constexpr std::int64_t most_integer = std::numeric_limits<std::int64_t>::max();

// Parses UTF-8 JSON (RFC 8259, no byte order mark); throws InvalidInput naming `where` also for a
// key that an object has twice: readers disagree on which of the two counts.
boost::json::value parse_strict_json(std::string_view text, std::string_view where);

// An object of the input and how messages call it: "", or "requests[3]".
class InputObject {
 public:
  // Throws InvalidInput if `value` is no object.
  InputObject(const boost::json::value& value, std::string_view where, std::string path = {});

  // The integer at `key`, between `low` and `high`. A whole number in another spelling (1.0, 1e3)
  // is not an integer here, nor is a boolean. Throws InvalidInput.
  std::int64_t integer(std::string_view key, std::int64_t low,
                       std::int64_t high = most_integer) const;
  bool boolean(std::string_view key) const;
  // Not empty.
  std::string text(std::string_view key) const;
  const boost::json::array& list(std::string_view key) const;
  bool has(std::string_view key) const;
  // The object's keys must be among `keys`; throws InvalidInput for the first that is not.
  void only(std::initializer_list<std::string_view> keys) const;

  // "requests[3].cost".
  std::string path_of(std::string_view key) const;
  [[noreturn]] void refuse(std::string_view key, std::string_view remedy) const;

 private:
  const boost::json::value& at(std::string_view key, std::string_view remedy) const;

  const boost::json::object* object_ = nullptr;
  std::string_view where_;
  std::string path_;
};

}  // namespace retrystorm
