#include "experiments/verbs/command_tree.hpp"

#include <algorithm>
#include <iterator>

namespace retrystorm {
namespace {

std::vector<OptionPage> those(const CommandPage& command, bool arguments) {
  std::vector<OptionPage> options;
  std::copy_if(command.options.begin(), command.options.end(), std::back_inserter(options),
               [&](const OptionPage& option) { return option.argument == arguments; });
  return options;
}

}  // namespace

std::vector<OptionPage> arguments_of(const CommandPage& command) {
  return those(command, true);
}

std::vector<OptionPage> flags_of(const CommandPage& command) {
  return those(command, false);
}

}  // namespace retrystorm
