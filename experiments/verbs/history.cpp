// retrystorm history [DIR]: the past runs of a results folder.
#include "experiments/report/history/history.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "experiments/evidence/run_directory.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"

#include <memory>

#include <boost/json/value.hpp>
#include <unistd.h>

namespace retrystorm {
namespace {

struct Flags {
  std::string folder = "results";
  HistoryOptions options;
  bool html = false;
  bool json = false;
};

int run(const Flags& flags) {
  const std::vector<PastRun> runs = history_of(flags.folder, flags.options);
  if (flags.html) {
    const std::string file = flags.folder + "/history.html";
    write_whole(file, history_html(runs, flags.folder));
    write_output(printable(file, 4000) + "\n");
    return exit_done;
  }
  const std::string text =
      flags.json ? pretty_json(to_json(runs)) : history_text(runs, look_of(STDOUT_FILENO).width);
  write_output(text);
  return exit_done;
}

}  // namespace

Verb history_verb(Command program) {
  Command app = program.add_subcommand("history", "The past runs of a results folder");
  auto flags = std::make_shared<Flags>();
  app.add_option("DIR", flags->folder, "folder of run directories").capture_default_str();
  app.add_option("--experiment", flags->options.experiment, "only runs of this experiment")
      .type_name("NAME")
      .not_empty();
  app.add_option("--last", flags->options.last, "only the latest N runs")
      .type_name("N")
      .range(1, 1'000'000);
  app.add_flag("--rebuild", flags->options.rebuild, "read every run again");
  Flag html = app.add_flag("--html", flags->html, "write DIR/history.html instead");
  app.add_flag("--json", flags->json, "print only JSON").excludes(html);
  app.footer(
      "DIR/history.sqlite is an index of the run directories: it follows them, and can be "
      "deleted.\n"
      "Exit codes: 0 done, 2 DIR is no folder.\n"
      "Examples:\n"
      "  retrystorm history\n"
      "  retrystorm history results --experiment collapse --last 10 --html\n"
      "  sqlite3 results/history.sqlite 'select directory, arm, settled_goodput from arms'");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace retrystorm
