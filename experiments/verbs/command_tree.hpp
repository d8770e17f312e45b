// The command line as a document: each command with its options, as its help shows them. Manual
// pages and the completions of shells are made of it, so that neither can name what there is not.
#pragma once

#include <string>
#include <vector>

namespace retrystorm {

struct OptionPage {
  std::vector<std::string> names;  // "-h", "--help"; of an argument its one name, "DIR"
  bool argument = false;           // given by its place, without a name
  bool required = false;
  bool repeats = false;            // may be given several times
  std::string value;               // what stands for its value, "DIR"; empty for a flag without
  std::vector<std::string> words;  // the values it may take, where they are few
  std::string default_value;
  std::string group;  // the heading it stands under
  std::string help;
};

struct CommandPage {
  std::string name;
  std::string about;                // one line
  std::vector<OptionPage> options;  // in the order of the help
  std::string footer;               // prose, "Exit codes: ...", "Examples:" and commands
  std::vector<CommandPage> commands;
};

// The arguments of a command, and its flags.
std::vector<OptionPage> arguments_of(const CommandPage& command);
std::vector<OptionPage> flags_of(const CommandPage& command);

// The manual page of the program, or of one of its commands, for man(1).
std::string man_page(const CommandPage& program);
std::string man_page(const CommandPage& program, const CommandPage& command);

// What makes a shell complete the program's verbs, flags and their values.
std::string bash_completions(const CommandPage& program);
std::string zsh_completions(const CommandPage& program);
std::string fish_completions(const CommandPage& program);

}  // namespace retrystorm
