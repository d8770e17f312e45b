#include "core/error.hpp"

#include "core/bidirectional.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// Length of the valid UTF-8 sequence that `text` starts with, 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;
  if (lead == 0xED && byte(1) > 0x9F) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

std::string message(std::string_view where, std::string_view field, std::string_view remedy) {
  std::string text = where.empty() ? "''" : printable(where, 300);
  if (!field.empty()) text += fmt::format(": {}", printable(field));
  return fmt::format("{}: {}", text, printable(remedy, 600));
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  while (!text.empty()) {
    if (result.size() >= limit) return result + "...";
    const std::size_t length = utf8_length(text);
    const auto lead = static_cast<unsigned char>(text.front());
    if (length == 0 || lead < 0x20 || lead == 0x7F) {
      result += fmt::format("\\x{:02x}", lead);
      text.remove_prefix(1);
    } else if (bidirectional_control(text) > 0) {
      for (const char byte : text.substr(0, length)) {
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
      }
      text.remove_prefix(length);
    } else {
      result += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return result;
}

InvalidInput::InvalidInput(std::string_view where, std::string_view field, std::string_view remedy)
    : std::runtime_error(message(where, field, remedy)) {}

int worse_exit(int a, int b) {
  constexpr std::array order = {static_cast<int>(exit_done), static_cast<int>(exit_failed),
                                static_cast<int>(exit_untrusted),
                                static_cast<int>(exit_interrupted), static_cast<int>(exit_invalid)};
  const auto rank = [&](int code) { return std::find(order.begin(), order.end(), code); };
  return rank(a) < rank(b) ? b : a;
}

}  // namespace retrystorm
