#include "core/share.hpp"

#include <fmt/format.h>

namespace retrystorm {

std::string percent_text(std::int64_t share_ppm) {
  constexpr std::int64_t of_a_percent = ppm / 100;
  std::string text = fmt::format("{}.{:04}", share_ppm / of_a_percent, share_ppm % of_a_percent);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace retrystorm
