#include "core/terminal.hpp"

#include "core/units.hpp"

#include <algorithm>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace retrystorm {
namespace {

// Narrower than this nothing of ours can be read.
constexpr std::size_t least_width = 40;

std::size_t width_of(int file) {
  if (const char* given = std::getenv("COLUMNS")) {
    const auto columns = parse_integer(given);
    if (columns && *columns >= static_cast<std::int64_t>(least_width) && *columns <= 1000) {
      return static_cast<std::size_t>(*columns);
    }
  }
  winsize size{};
  if (::ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return default_width;
  return std::max<std::size_t>(size.ws_col, least_width);
}

}  // namespace

Look look_of(int file) {
  return {::isatty(file) == 1, width_of(file)};
}

}  // namespace retrystorm
