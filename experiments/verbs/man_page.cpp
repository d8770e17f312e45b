// Manual pages in the man macros, of the command line as it is.
#include "core/version.hpp"
#include "experiments/verbs/command_tree.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {
namespace {

// What stands for itself: troff takes a backslash, some quotes and dashes, and a dot or an
// apostrophe that begins a line, for something else. See groff_char(7).
std::string verbatim(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// A line of text, which may begin with a dot.
std::string text_line(std::string_view text) {
  return (text.starts_with('.') ? "\\&" : "") + verbatim(text) + "\n";
}

std::string section(std::string_view name) {
  return fmt::format(".SH \"{}\"\n", name);
}

// A footer's parts: what to know, the exit codes, the examples' lines.
struct Footer {
  std::string prose, exit_codes, examples;
};

Footer parts_of(std::string_view text) {
  Footer footer;
  std::string* part = &footer.prose;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line == "Examples:" || line == "Example:") {
      part = &footer.examples;
      continue;
    }
    if (line.starts_with("Exit codes:")) part = &footer.exit_codes;
    // Examples begin two spaces in.
    const bool example = part == &footer.examples && line.starts_with("  ");
    *part += text_line(example ? line.substr(2) : line);
  }
  return footer;
}

std::string footer_sections(const Footer& footer) {
  std::string text;
  if (!footer.exit_codes.empty()) text += section("EXIT STATUS") + footer.exit_codes;
  if (!footer.examples.empty()) {
    text += section("EXAMPLES") + ".nf\n" + footer.examples + ".fi\n";
  }
  return text;
}

// What stands for an option's value: the words themselves where the help does not list them.
std::string value_of(const OptionPage& option) {
  if (option.value == "TEXT" && !option.words.empty()) {
    return fmt::format("{}", fmt::join(option.words, "|"));
  }
  return option.value;
}

std::string tagged(const OptionPage& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", verbatim(name));
  }
  if (!option.argument && !option.value.empty()) {
    names += fmt::format(" \\fI{}\\fR", verbatim(value_of(option)));
  }
  std::string help = option.help;
  if (!option.default_value.empty()) help += fmt::format(" (default {})", option.default_value);
  if (option.required && !option.argument) help += " (required)";
  return fmt::format(".TP\n{}\n{}", names, text_line(help));
}

// The flags under their headings, in the order in which the headings first occur.
std::string flag_sections(const CommandPage& command) {
  const std::vector<OptionPage> flags = flags_of(command);
  std::vector<std::string> groups;
  for (const OptionPage& flag : flags) {
    if (std::find(groups.begin(), groups.end(), flag.group) == groups.end()) {
      groups.push_back(flag.group);
    }
  }
  std::string text = section("OPTIONS");
  for (const std::string& group : groups) {
    if (group != "Options") text += fmt::format(".SS \"{}\"\n", verbatim(group));
    for (const OptionPage& flag : flags) {
      if (flag.group == group) text += tagged(flag);
    }
  }
  return text;
}

std::string head(std::string_view name, std::string_view about) {
  std::string title;
  for (const char c : name) title += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(".TH \"{}\" 1 \"\" \"retrystorm {}\" \"User Commands\"\n{}{} \\- {}",
                     verbatim(title), version(), section("NAME"), verbatim(name), text_line(about));
}

std::string see_also(const std::vector<std::string>& pages) {
  std::string text = section("SEE ALSO");
  for (std::size_t i = 0; i < pages.size(); ++i) {
    text += fmt::format(".BR {} (1){}\n", verbatim(pages[i]), i + 1 < pages.size() ? "," : "");
  }
  return text;
}

std::string page_name(const CommandPage& program, const CommandPage& command) {
  return program.name + "-" + command.name;
}

}  // namespace

std::string man_page(const CommandPage& program) {
  std::string text = head(program.name,
                          "what a service does past its limit, measured and "
                          "predicted side by side");
  text += section("SYNOPSIS");
  text += fmt::format(".B {}\n.I VERB\n[\\fIOPTIONS\\fR]\n", program.name);
  text += section("DESCRIPTION") + text_line(program.about);
  text += text_line(
      "A testbed and a model of overload: retry storms, metastable failure, goodput "
      "and abandoned work.");
  text += text_line(
      "The load generator is an open loop without coordinated omission, unless it "
      "is asked for users.");
  text += ".PP\n" + parts_of(program.footer).prose;
  text += section("VERBS");
  std::vector<std::string> pages;
  for (const CommandPage& command : program.commands) {
    pages.push_back(page_name(program, command));
    text += fmt::format(".TP\n.B {}\n{}", verbatim(command.name), text_line(command.about));
  }
  text += flag_sections(program);
  text += section("EXIT STATUS");
  text += text_line(
      "0 done and every threshold met; 1 done, a threshold or a comparison failed; 2 "
      "the input or the arguments are invalid; 3 the run is not trustworthy; 130 "
      "interrupted, the results so far are kept.");
  text += section("FILES");
  text += fmt::format(".TP\n.I {}\n{}", verbatim("PREFIX/share/retrystorm/scenarios"),
                      text_line("Experiments that are found by their name from anywhere; PREFIX is "
                                "the folder above the program's."));
  text += fmt::format(".TP\n.I {}\n{}", verbatim("PREFIX/share/doc/retrystorm"),
                      text_line("The documentation; README.md is where it begins."));
  return text + see_also(pages);
}

std::string man_page(const CommandPage& program, const CommandPage& command) {
  const Footer footer = parts_of(command.footer);
  std::string text = head(page_name(program, command), command.about) + section("SYNOPSIS");
  text += fmt::format(".B {} {}\n[\\fIOPTIONS\\fR]\n", program.name, verbatim(command.name));
  for (const OptionPage& argument : arguments_of(command)) {
    const std::string name = fmt::format("\\fI{}\\fR", verbatim(argument.names.front()));
    text += argument.required ? name + "\n" : fmt::format("[{}]\n", name);
  }
  text += section("DESCRIPTION");
  text += text_line(command.about + ".");
  if (!footer.prose.empty()) text += ".PP\n" + footer.prose;
  if (const auto arguments = arguments_of(command); !arguments.empty()) {
    text += section("ARGUMENTS");
    for (const OptionPage& argument : arguments) text += tagged(argument);
  }
  return text + flag_sections(command) + footer_sections(footer) + see_also({program.name});
}

}  // namespace retrystorm
