// The files of dashboards/ that the program carries with it, so that it can write rules and
// serve the live page wherever it runs. CMake turns them into code.
#pragma once

#include "experiments/experiment/embedded.hpp"

#include <span>

namespace retrystorm {

// "retrystorm.json", "rules/...", "live/...", "vendor/uplot/...": names within dashboards/.
std::span<const EmbeddedFile> dashboard_files();

// The text of one. Throws std::out_of_range for a name that there is not.
std::string_view dashboard_file(std::string_view name);

}  // namespace retrystorm
