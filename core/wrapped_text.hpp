// Text that fits a terminal: a paragraph behind a word, and lines broken where they are too long.
#pragma once

#include "core/terminal.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace retrystorm {

// "word       the text, wrapped, its further lines under the first"; of the text, only what is
// printable.
std::string explained(std::string_view word, std::string_view text,
                      std::size_t width = default_width);

// The same behind a mark such as "  ! ", under whose end the further lines begin.
std::string bulleted(std::string_view mark, std::string_view text, std::size_t width);

// `text` with its lines of more than `width` broken at blanks, the rest a little further in than
// the line began. What has no blank stays whole.
std::string fitted(std::string_view text, std::size_t width);

}  // namespace retrystorm
