#include "experiments/verbs/answer_output.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "experiments/verbs/standard_output.hpp"

#include <filesystem>

#include <unistd.h>

namespace retrystorm {
namespace {

bool goes_to_file(const std::string& out) {
  return !out.empty() && out != "-";
}

}  // namespace

bool goes_to_terminal(const std::string& out) {
  return !goes_to_file(out) && ::isatty(STDOUT_FILENO) == 1;
}

Look look_of_answer(const std::string& out) {
  Look look = look_of(STDOUT_FILENO);
  look.colour = goes_to_terminal(out);
  return look;
}

void check_out(const std::string& out) {
  if (!goes_to_file(out)) return;
  std::error_code error;
  if (std::filesystem::is_directory(out, error)) {
    throw InvalidInput(command_line, "--out", out + " is a directory: name a file in it");
  }
  const std::filesystem::path parent = std::filesystem::path(out).parent_path();
  if (!parent.empty() && !std::filesystem::is_directory(parent, error)) {
    throw InvalidInput(command_line, "--out", parent.string() + " is no directory: make it first");
  }
}

void write_answer(const std::string& out, std::string_view text) {
  if (goes_to_file(out)) {
    write_whole(out, text);
  } else {
    write_output(text);
  }
}

}  // namespace retrystorm
