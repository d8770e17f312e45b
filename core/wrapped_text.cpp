#include "core/wrapped_text.hpp"

#include "core/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// Behind `first`, which ends at column `indent`.
std::string wrapped(std::string first, std::string_view text, std::size_t indent,
                    std::size_t width) {
  std::string result = std::move(first);
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

std::string fitted_line(std::string_view line, std::size_t width) {
  constexpr std::size_t further = 4;
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  std::string result;
  std::size_t indent = 0;  // of what is left of the line
  while (indent < width && indent + line.size() > width) {
    // The last blank that leaves a line short enough, and not one of its own indentation.
    const std::size_t from = indent == 0 ? begin : 0;
    std::size_t blank = line.rfind(' ', width - indent);
    if (blank == line.npos || blank <= from) blank = line.find(' ', from + 1);
    if (blank == line.npos) break;
    result += fmt::format("{:{}}{}\n", "", indent, line.substr(0, blank));
    line.remove_prefix(std::min(line.find_first_not_of(' ', blank), line.size()));
    indent = begin + further;
  }
  return result + fmt::format("{:{}}{}", "", indent, line);
}

}  // namespace

std::string explained(std::string_view word, std::string_view given, std::size_t width) {
  constexpr std::size_t indent = 11;
  return wrapped(fmt::format("{:<{}}", word, indent), printable(given, 10'000), indent, width);
}

std::string bulleted(std::string_view mark, std::string_view text, std::size_t width) {
  return wrapped(std::string(mark), printable(text, 1000), mark.size(), width);
}

std::string fitted(std::string_view text, std::size_t width) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += fitted_line(text.substr(0, end), width);
    if (end < text.size()) result.push_back('\n');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace retrystorm
