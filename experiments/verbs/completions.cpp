// retrystorm completions SHELL: what makes a shell complete verbs, flags and their values.
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"

#include <memory>

namespace retrystorm {

Verb completions_verb(Command program, const Program& whole) {
  Command app = program.add_subcommand("completions", "Print what makes a shell complete commands");
  auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  app.footer(
      "An installed program has its completions where Debian's shells look for them.\n"
      "Exit codes: 0 done, 2 no such shell.\n"
      "Examples:\n"
      "  source <(retrystorm completions bash)\n"
      "  retrystorm completions fish > ~/.config/fish/completions/retrystorm.fish");
  return {app, [shell, &whole] {
            const CommandPage pages = whole.pages();
            write_output(*shell == "bash"  ? bash_completions(pages)
                         : *shell == "zsh" ? zsh_completions(pages)
                                           : fish_completions(pages));
            return 0;
          }};
}

}  // namespace retrystorm
