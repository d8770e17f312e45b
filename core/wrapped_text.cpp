#include "core/wrapped_text.hpp"

#include "core/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {

std::string explained(std::string_view word, std::string_view given) {
  const std::string text = printable(given, 10'000);
  constexpr std::size_t indent = 11;
  constexpr std::size_t width = 112;
  std::string result = fmt::format("{:<{}}", word, indent);
  std::size_t column = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column > indent && column + 1 + end - at > width) {
      result += fmt::format("\n{:<{}}", "", indent);
      column = indent;
    } else if (column > indent) {
      result.push_back(' ');
      ++column;
    }
    result += text.substr(at, end - at);
    column += end - at;
    at = end + 1;
  }
  result.push_back('\n');
  return result;
}

}  // namespace retrystorm
