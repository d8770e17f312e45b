// retrystorm man [VERB]: the manual pages, made of the command line itself.
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/nearest.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"

#include <memory>

#include <fmt/format.h>

namespace retrystorm {
namespace {

struct Flags {
  std::string verb;
  std::string out;
};

const CommandPage& named(const CommandPage& pages, const std::string& verb) {
  std::vector<std::string> names;
  for (const CommandPage& command : pages.commands) {
    if (command.name == verb) return command;
    names.push_back(command.name);
  }
  const std::string near = nearest(verb, names);
  throw InvalidInput(
      command_line, "VERB",
      fmt::format("must be a verb of `retrystorm --help`{}; got '{}'",
                  near.empty() ? "" : fmt::format(", did you mean {}?", near), printable(verb)));
}

int run(const Flags& flags, const CommandPage& pages) {
  if (flags.out.empty()) {
    write_output(flags.verb.empty() ? man_page(pages) : man_page(pages, named(pages, flags.verb)));
    return exit_done;
  }
  make_directories(flags.out);
  write_whole(fmt::format("{}/{}.1", flags.out, pages.name), man_page(pages));
  for (const CommandPage& command : pages.commands) {
    write_whole(fmt::format("{}/{}-{}.1", flags.out, pages.name, command.name),
                man_page(pages, command));
  }
  return exit_done;
}

}  // namespace

Verb man_verb(Command program, const Program& whole) {
  Command app = program.add_subcommand("man", "Print the manual page of a verb");
  auto flags = std::make_shared<Flags>();
  const Flag verb =
      app.add_option("VERB", flags->verb, "the verb (default: the page of the program)");
  app.add_option("--out", flags->out, "write all pages into this directory instead")
      .type_name("DIR")
      .not_empty()
      .excludes(verb);
  app.footer(
      "An installed program has its pages where man(1) looks for them.\n"
      "Exit codes: 0 done, 2 no such verb, 3 a page cannot be written.\n"
      "Examples:\n"
      "  retrystorm man predict | man -l -\n"
      "  retrystorm man --out ~/.local/share/man/man1");
  return {app, [flags, &whole] { return run(*flags, whole.pages()); }};
}

}  // namespace retrystorm
