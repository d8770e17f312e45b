// The program `retrystorm`: picks the verb and turns errors into one line and an exit code.
#include "core/error.hpp"
#include "core/invalid_file.hpp"
#include "core/standard_error.hpp"
#include "core/stop.hpp"
#include "experiments/verbs/revision.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"

#include <csignal>
#include <cstdio>
#include <new>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace retrystorm {
namespace {

int fail(int code, std::string_view what) {
  say(fmt::format("retrystorm: {}\n", what));
  return code;
}

// A standard file that the shell closed (`>&-`) is held by what can be neither read nor written:
// otherwise the next file opened takes its number, and what is said goes into a ledger or a pipe.
void hold_standard_files() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(file, F_GETFD) >= 0) continue;
    // The lowest number that is free, so `file` itself.
    const int held = ::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (held != file) throw RunFailed("/dev/null: cannot be opened");
  }
}

int run_program(int argc, char** argv) {
  Program whole("What will my service do past its limit, and which knob saves it?", "retrystorm",
                version_line());
  const Command program = whole.command();
  const Verb verbs[] = {
      serve_verb(program),        load_verb(program),       run_verb(program),
      predict_verb(program),      report_verb(program),     compare_verb(program),
      history_verb(program),      trace_verb(program),      rules_verb(program),
      watch_verb(program),        fields_verb(program),     admit_verb(program),
      budget_verb(program),       capacity_verb(program),   oncall_verb(program),
      oncall_check_verb(program), man_verb(program, whole), completions_verb(program, whole),
  };
  if (whole.parse(argc, argv)) {
    end_output();
    return exit_done;
  }
  for (const Verb& verb : verbs) {
    if (!verb.app.parsed()) continue;
    const int code = verb.run();
    end_output();
    return code;
  }
  return exit_invalid;
}

}  // namespace
}  // namespace retrystorm

int main(int argc, char** argv) {
  using namespace retrystorm;
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is an error like a full disk, not the end
  try {
    hold_standard_files();
    return run_program(argc, argv);
  } catch (const InvalidFile& error) {
    for (const InvalidFile::Mistake& mistake : error.mistakes()) {
      fail(exit_invalid, mistake.line);
      if (!mistake.excerpt.empty()) say(mistake.excerpt + "\n");
    }
    return exit_invalid;
  } catch (const InvalidInput& error) {
    return fail(exit_invalid, error.what());
  } catch (const Interrupted& error) {
    return fail(exit_interrupted, error.what());
  } catch (const RunFailed& error) {
    return fail(exit_untrusted, error.what());
  } catch (const std::bad_alloc&) {
    return fail(exit_untrusted, "out of memory");
  } catch (const std::exception& error) {
    return fail(exit_untrusted, error.what());
  }
}
