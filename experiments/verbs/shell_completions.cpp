// Completion scripts of bash, zsh and fish. Each completes verbs, their flags, and the values of
// those: the words of a choice, files, folders, the experiments installed with the program.
#include "experiments/verbs/command_tree.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {
namespace {

enum class Value { none, unguessable, words, file, experiment, directory };

// What may stand as an option's value, by what its help calls it.
Value value_of(const OptionPage& option) {
  const std::string& name = option.argument ? option.names.front() : option.value;
  if (!option.words.empty()) return Value::words;
  if (name.empty()) return Value::none;
  if (name == "DIR") return Value::directory;
  if (name == "EXPERIMENT") return Value::experiment;
  const bool file = name == "FILE" || name == "A" || name == "B";
  return file ? Value::file : Value::unguessable;
}

std::string joined(const std::vector<std::string>& words, std::string_view between = " ") {
  return fmt::format("{}", fmt::join(words, between));
}

std::vector<std::string> names_of(const std::vector<CommandPage>& commands) {
  std::vector<std::string> names;
  for (const CommandPage& command : commands) names.push_back(command.name);
  return names;
}

// In single quotes for bash and zsh.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// With a backslash before each of `special`.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != special.npos) out += '\\';
    out += c;
  }
  return out;
}

std::string made_by(std::string_view shell) {
  return fmt::format("# Made by `retrystorm completions {}`.\n", shell);
}

// ---- bash ----

// "run:--out|run:-o"
std::string bash_pattern(const CommandPage& command, const OptionPage& option) {
  std::vector<std::string> patterns;
  for (const std::string& name : option.names) patterns.push_back(command.name + ":" + name);
  return joined(patterns, "|");
}

std::string bash_values(const CommandPage& command) {
  std::string text;
  for (const OptionPage& flag : flags_of(command)) {
    const std::string pattern = bash_pattern(command, flag);
    switch (value_of(flag)) {
      case Value::none:
        break;
      case Value::unguessable:
        text += fmt::format("    {}) return ;;\n", pattern);
        break;
      case Value::words:
        text += fmt::format("    {}) _retrystorm_words {}; return ;;\n", pattern,
                            quoted(joined(flag.words)));
        break;
      case Value::file:
        text += fmt::format("    {}) _retrystorm_paths -f; return ;;\n", pattern);
        break;
      case Value::experiment:
        text += fmt::format("    {}) _retrystorm_experiments; return ;;\n", pattern);
        break;
      case Value::directory:
        text += fmt::format("    {}) _retrystorm_paths -d; return ;;\n", pattern);
        break;
    }
  }
  return text;
}

// What completes the arguments: of several, the kind of the first that can be completed.
std::string bash_arguments(const CommandPage& command) {
  for (const OptionPage& argument : arguments_of(command)) {
    const Value value = value_of(argument);
    if (value == Value::words) return "_retrystorm_words " + quoted(joined(argument.words));
    if (value == Value::file) return "_retrystorm_paths -f";
    if (value == Value::experiment) return "_retrystorm_experiments";
    if (value == Value::directory) return "_retrystorm_paths -d";
  }
  return ":";
}

std::string bash_command(const CommandPage& command) {
  std::vector<std::string> names;
  for (const OptionPage& flag : flags_of(command)) {
    names.insert(names.end(), flag.names.begin(), flag.names.end());
  }
  return fmt::format("    {}:-*) _retrystorm_words {} ;;\n    {}:*) {} ;;\n", command.name,
                     quoted(joined(names)), command.name, bash_arguments(command));
}

// ---- zsh ----

// ":DIR:_directories", what _arguments(1) is told of a value.
std::string zsh_value(const OptionPage& option) {
  const std::string name = escaped(option.argument ? option.names.front() : option.value, ":\\");
  switch (value_of(option)) {
    case Value::none:
      return "";
    case Value::unguessable:
      return fmt::format(":{}: ", name);
    case Value::words:
      return fmt::format(":{}:({})", name, joined(option.words));
    case Value::file:
      return fmt::format(":{}:_files", name);
    case Value::experiment:
      return fmt::format(":{}:_retrystorm_experiments", name);
    case Value::directory:
      return fmt::format(":{}:_directories", name);
  }
  return "";
}

std::string zsh_flag(const OptionPage& flag) {
  std::string text;
  for (const std::string& name : flag.names) {
    // A long flag takes its value behind `=` or as the next word.
    const bool equals = name.starts_with("--") && value_of(flag) != Value::none;
    text += fmt::format(
        " \\\n        {}",
        quoted(fmt::format("{}{}{}[{}]{}", flag.repeats ? "*" : "", name, equals ? "=" : "",
                           escaped(flag.help, "[]\\"), zsh_value(flag))));
  }
  return text;
}

std::string zsh_command(const CommandPage& command) {
  std::string text = fmt::format("      {})\n      _arguments", command.name);
  for (const OptionPage& flag : flags_of(command)) text += zsh_flag(flag);
  std::size_t place = 0;
  for (const OptionPage& argument : arguments_of(command)) {
    text +=
        fmt::format(" \\\n        {}", quoted(fmt::format("{}{}", ++place, zsh_value(argument))));
  }
  return text + "\n      ;;\n";
}

// ---- fish ----

// In single quotes, where fish knows \' and \\.
std::string fish_quoted(std::string_view text) {
  return "'" + escaped(text, "'\\") + "'";
}

std::string fish_value(const OptionPage& option) {
  switch (value_of(option)) {
    case Value::none:
      return "";
    case Value::unguessable:
      return " -x";
    case Value::words:
      return " -x -a " + fish_quoted(joined(option.words));
    case Value::file:
      return " -r -F";
    case Value::experiment:
      return " -r -F -a '(__retrystorm_experiments)'";
    case Value::directory:
      return " -x -a '(__fish_complete_directories)'";
  }
  return "";
}

std::string fish_command(const CommandPage& command) {
  const std::string where =
      fmt::format("complete -c retrystorm -n '__fish_seen_subcommand_from {}'", command.name);
  std::string text;
  for (const OptionPage& flag : flags_of(command)) {
    text += where;
    for (const std::string& name : flag.names) {
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    text += fmt::format("{} -d {}\n", fish_value(flag), fish_quoted(flag.help));
  }
  for (const OptionPage& argument : arguments_of(command)) {
    switch (value_of(argument)) {
      case Value::file:
        text += where + " -F\n";
        break;
      case Value::experiment:
        text += where + " -F -a '(__retrystorm_experiments)'\n";
        break;
      case Value::words:
      case Value::directory:
        text += where + fish_value(argument).substr(3) + "\n";
        break;
      case Value::none:
      case Value::unguessable:
        break;
    }
  }
  return text;
}

}  // namespace

std::string bash_completions(const CommandPage& program) {
  std::string text = made_by("bash");
  text +=
      "_retrystorm_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$word\")); }\n"
      "_retrystorm_paths() {\n"
      "  mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$word\")\n"
      "  compopt -o filenames 2>/dev/null\n"
      "}\n"
      "_retrystorm_experiments() {\n"
      "  local shared file\n"
      "  _retrystorm_paths -f\n"
      "  shared=$(dirname -- \"$(dirname -- \"$(type -P retrystorm)\")\")\n"
      "  for file in \"$shared/share/retrystorm/scenarios/$word\"*.toml; do\n"
      "    [ -e \"$file\" ] && COMPREPLY+=(\"${file##*/}\")\n"
      "  done\n"
      "}\n"
      "_retrystorm() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=\n"
      "  COMPREPLY=()\n"
      "  [ \"$COMP_CWORD\" -gt 1 ] && verb=${COMP_WORDS[1]}\n"
      "  # bash takes --flag=value for three words.\n"
      "  if [ \"$word\" = = ]; then\n"
      "    word=\n"
      "  elif [ \"$before\" = = ]; then\n"
      "    before=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  fi\n"
      "  case $verb:$before in\n";
  for (const CommandPage& command : program.commands) text += bash_values(command);
  text += "  esac\n  case $verb:$word in\n";
  for (const CommandPage& command : program.commands) text += bash_command(command);
  std::vector<std::string> first = names_of(program.commands);
  text += fmt::format("    help:*) _retrystorm_words {} ;;\n", quoted(joined(first)));
  first.insert(first.end(), {"help", "version", "--help", "--version"});
  text += fmt::format("    :*) _retrystorm_words {} ;;\n", quoted(joined(first)));
  return text + "  esac\n}\ncomplete -F _retrystorm retrystorm\n";
}

std::string zsh_completions(const CommandPage& program) {
  std::string text = "#compdef retrystorm\n" + made_by("zsh");
  text +=
      "_retrystorm_experiments() {\n"
      "  local -a installed\n"
      "  installed=(${commands[retrystorm]:h:h}/share/retrystorm/scenarios/*.toml(N:t))\n"
      "  _files\n"
      "  compadd -a installed\n"
      "}\n"
      "_retrystorm() {\n"
      "  local context state state_descr line\n"
      "  typeset -A opt_args\n"
      "  local -a verbs\n"
      "  verbs=(\n";
  for (const CommandPage& command : program.commands) {
    text += fmt::format("    {}\n", quoted(command.name + ":" + command.about));
  }
  text +=
      "    'help:Show the flags of a verb'\n"
      "  )\n"
      "  _arguments -C '(- *)'{-h,--help}'[print the help]' \\\n"
      "    '(- *)--version[print the version]' '1: :->verb' '*:: :->rest'\n"
      "  case $state in\n"
      "    verb) _describe verb verbs ;;\n"
      "    rest)\n"
      "    case $words[1] in\n"
      "      help) _describe verb verbs ;;\n";
  for (const CommandPage& command : program.commands) text += zsh_command(command);
  return text +
         "    esac\n"
         "    ;;\n"
         "  esac\n"
         "}\n"
         "_retrystorm \"$@\"\n";
}

std::string fish_completions(const CommandPage& program) {
  const std::vector<std::string> verbs = names_of(program.commands);
  std::string text = made_by("fish");
  text +=
      "function __retrystorm_experiments\n"
      "  set -l program (command -s retrystorm); or return\n"
      "  for file in (dirname (dirname $program))/share/retrystorm/scenarios/*.toml\n"
      "    basename $file\n"
      "  end\n"
      "end\n"
      "complete -c retrystorm -f\n";
  for (const CommandPage& command : program.commands) {
    text += fmt::format("complete -c retrystorm -n __fish_use_subcommand -a {} -d {}\n",
                        command.name, fish_quoted(command.about));
  }
  text +=
      "complete -c retrystorm -n __fish_use_subcommand -a help -d 'Show the flags of a verb'\n"
      "complete -c retrystorm -n __fish_use_subcommand -s h -l help -d 'Print the help'\n"
      "complete -c retrystorm -n __fish_use_subcommand -l version -d 'Print the version'\n";
  text += fmt::format("complete -c retrystorm -n '__fish_seen_subcommand_from help' -a {}\n",
                      fish_quoted(joined(verbs)));
  for (const CommandPage& command : program.commands) text += fish_command(command);
  return text;
}

}  // namespace retrystorm
