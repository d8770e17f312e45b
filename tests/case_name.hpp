// Names for the cases of a parameterised test: GoogleTest takes letters and digits alone.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

namespace retrystorm {

// "a length beyond 64 bits" -> "ALengthBeyond64Bits", "erlC_1.6_2" -> "ErlC1p6x2": words run
// together, a decimal point is p, and what else stands between two digits is x.
inline std::string case_name(std::string_view words) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::string name;
  std::string_view between = " ";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto c = static_cast<unsigned char>(words[i]);
    if (std::isalnum(c) == 0) {
      between = words.substr(i, 1);
      continue;
    }
    if (between.empty()) {
      name += words[i];
    } else {
      if (!name.empty() && digit(name.back()) && digit(words[i]))
        name += between == "." ? 'p' : 'x';
      name += static_cast<char>(std::toupper(c));
    }
    between = {};
  }
  return name;
}

}  // namespace retrystorm
