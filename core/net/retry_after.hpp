// What a reply says in Retry-After (RFC 9110, 10.2.3): seconds, or a date, which counts from the
// reply's own Date, so that clocks need not agree.
#pragma once

#include "core/units.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace retrystorm {

class RetryAfterSaid {
 public:
  // The fields' values as they come, in any order.
  void hear(std::string_view value) { after_.keep(value); }
  void hear_date(std::string_view value) { date_.keep(value); }

  // How long after the reply; nothing where it does not say, or says what cannot be read, or a date
  // without a Date of its own. A date gone by is no time at all; years of seconds are a year.
  std::optional<Duration> read() const;

 private:
  // A short text, copied: the parser's buffer moves. What is longer is neither seconds nor a date.
  struct Text {
    void keep(std::string_view value);
    std::string_view view() const { return {bytes.data(), size}; }
    std::array<char, 32> bytes{};
    std::size_t size = 0;
  };
  Text after_, date_;
};

}  // namespace retrystorm
