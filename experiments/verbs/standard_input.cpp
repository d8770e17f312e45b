#include "experiments/verbs/standard_input.hpp"

#include "core/error.hpp"

#include <array>
#include <cstdio>

#include <fmt/format.h>

namespace retrystorm {

std::string read_standard_input() {
  std::string text;
  std::array<char, 65536> block;
  std::size_t size = 0;
  while ((size = std::fread(block.data(), 1, block.size(), stdin)) > 0) {
    text.append(block.data(), size);
    if (text.size() > longest_input_mib << 20) {
      throw InvalidInput(standard_input, "",
                         fmt::format("is too long; it must be at most {} MiB", longest_input_mib));
    }
  }
  if (std::ferror(stdin) != 0) throw InvalidInput(standard_input, "", "cannot be read");
  return text;
}

}  // namespace retrystorm
