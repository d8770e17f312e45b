#include "tests/campaign/program.hpp"

#include "core/files.hpp"
#include "tests/campaign/budget.hpp"
#include "tests/places.hpp"
#include "tests/temporary_directory.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/wait.h>

namespace retrystorm::campaign {

Said predict_by_program(const Case& c) {
  namespace fs = std::filesystem;
  const TemporaryDirectory output;
  const TemporaryDirectory place;
  place.write("case.toml", text_of(c));
  const std::string command = fmt::format(
      "cd '{}' && timeout -k 1 {} '{}' predict case.toml --engine simulate --json "
      "</dev/null >'{}' 2>'{}'",
      place.path(), patience_s, program_path(), output.file("out"), output.file("error"));
  const int status = std::system(command.c_str());
  Said said;
  said.out = read_file(output.file("out"));
  said.error = read_file(output.file("error"));
  said.lines = static_cast<std::size_t>(std::count(said.error.begin(), said.error.end(), '\n'));
  const auto files = std::distance(fs::directory_iterator(place.path()), fs::directory_iterator());
  if (!WIFEXITED(status)) {
    said.trouble = "could not be run";
    return said;
  }
  said.code = WEXITSTATUS(status);
  if (said.code == 124 || said.code == 137) said.trouble = "hangs";
  if (said.code > 128) said.trouble = fmt::format("died of signal {}", said.code - 128);
  if (files != 1) said.trouble = "left files behind";
  return said;
}

}  // namespace retrystorm::campaign
