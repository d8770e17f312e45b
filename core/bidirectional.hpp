// Characters that turn the direction of writing: a name that holds one reads otherwise than it is
// (Trojan Source, CVE-2021-42574), on a terminal and on a page.
#pragma once

#include <cstddef>
#include <string_view>

namespace retrystorm {

// The length in bytes of the bidirectional control (U+061C, U+200E, U+200F, U+202A to U+202E,
// U+2066 to U+2069) that the UTF-8 text begins with; 0 if it begins with none.
constexpr std::size_t bidirectional_control(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (byte(0) == 0xD8 && byte(1) == 0x9C) return 2;
  if (byte(0) != 0xE2) return 0;
  const unsigned last = byte(2);
  const bool marks = byte(1) == 0x80 && (last == 0x8E || last == 0x8F);
  const bool embeddings = byte(1) == 0x80 && last >= 0xAA && last <= 0xAE;
  const bool isolates = byte(1) == 0x81 && last >= 0xA6 && last <= 0xA9;
  return marks || embeddings || isolates ? 3 : 0;
}

constexpr bool holds_bidirectional_control(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(1)) {
    if (bidirectional_control(text) > 0) return true;
  }
  return false;
}

}  // namespace retrystorm
