#include "experiments/verbs/experiment_path.hpp"

#include "core/error.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace retrystorm {

std::string installed_scenarios() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return (program.parent_path().parent_path() / "share/retrystorm/scenarios").string();
}

std::string experiment_path(const std::string& given, const std::string& installed) {
  // A link that leads nowhere is there, and its reader says what is wrong.
  std::error_code error;
  const auto there = [&](const std::string& path) {
    return std::filesystem::exists(std::filesystem::symlink_status(path, error));
  };
  if (given.empty() || given.find('/') != given.npos || there(given)) return given;
  std::string shared = installed + "/" + given;
  if (there(shared)) return shared;
  throw InvalidInput(given, "",
                     fmt::format("cannot be read: it must be an existing, readable file; there is "
                                 "none of that name here, and none in {}",
                                 printable(installed, 4000)));
}

}  // namespace retrystorm
