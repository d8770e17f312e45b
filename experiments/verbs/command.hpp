// The command line as the verbs see it: commands with their options, flags and footers. Stands
// before CLI11, whose one header takes longer to compile than a verb, so that only command.cpp
// reads it.
#pragma once

#include "experiments/verbs/command_tree.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace retrystorm {

// An option or flag of a command, to be described further; a handle, copied freely.
class Flag {
 public:
  explicit Flag(CLI::Option* option = nullptr) : option_(option) {}

  Flag& type_name(const std::string& name);  // what stands for its value in the help
  Flag& required();
  Flag& capture_default_str();  // the help shows the value it has now
  Flag& default_str(const std::string& text);
  Flag& group(const std::string& name);
  Flag& delimiter(char separator);  // of a list in one argument
  Flag& excludes(const Flag& other);
  Flag& needs(const Flag& other);

  // Refused unless the value is a whole number, or any number, from `low` to `high`.
  Flag& range(std::int64_t low, std::int64_t high);
  // CLI11's own range lets a NaN pass, with which no comparison holds.
  Flag& within(double low, double high);
  Flag& one_of(const std::vector<std::string>& values);
  // A flag that means something by its absence must not be absent by mistake: `--until "$CLOSE"`
  // with nothing in CLOSE is refused, and not taken for no flag.
  Flag& not_empty();

  bool given() const;
  std::string name() const;  // "--rate"

 private:
  CLI::Option* option_;
};

// A command with its options; a handle, copied freely. What options are bound to must outlive
// parsing.
class Command {
 public:
  explicit Command(CLI::App* app = nullptr) : app_(app) {}

  Command add_subcommand(const std::string& name, const std::string& about);
  // `names`: "--rate", or "DIR" for a positional one.
  Flag add_option(const std::string& names, std::string& value, const std::string& help);
  Flag add_option(const std::string& names, double& value, const std::string& help);
  Flag add_option(const std::string& names, int& value, const std::string& help);
  Flag add_option(const std::string& names, std::int64_t& value, const std::string& help);
  Flag add_option(const std::string& names, std::uint32_t& value, const std::string& help);
  Flag add_option(const std::string& names, std::uint64_t& value, const std::string& help);
  Flag add_option(const std::string& names, std::optional<std::int64_t>& value,
                  const std::string& help);
  Flag add_option(const std::string& names, std::vector<std::string>& values,
                  const std::string& help);
  Flag add_flag(const std::string& names, bool& value, const std::string& help);
  // Accepted and without effect.
  Flag add_flag(const std::string& names, const std::string& help);
  void footer(const std::string& text);
  bool parsed() const;

 private:
  CLI::App* app_;
};

// The program's own command.
class Program {
 public:
  Program(const std::string& about, const std::string& name, const std::string& version);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Command command() { return Command(app_.get()); }

  // All commands with all their options. The words of a choice or a set among the fields of a
  // scenario are the registry's.
  CommandPage pages() const;

  // False if a subcommand is to be run; true after --help or --version, which it has printed.
  // Throws InvalidInput.
  bool parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace retrystorm
