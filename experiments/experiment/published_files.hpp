// The files of experiments/published/ that the program carries with it. CMake turns them into code.
#pragma once

#include "experiments/experiment/embedded.hpp"

#include <span>

namespace retrystorm {

// "published/NAME.toml" each.
std::span<const EmbeddedFile> published_files();

}  // namespace retrystorm
