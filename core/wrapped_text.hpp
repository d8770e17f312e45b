// A paragraph behind a word, for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace retrystorm {

// "word       the text, wrapped, its further lines under the first"; of the text, only what is
// printable.
std::string explained(std::string_view word, std::string_view text);

}  // namespace retrystorm
