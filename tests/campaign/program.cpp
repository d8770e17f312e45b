#include "tests/campaign/program.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/files.hpp"
#include "core/scenario_toml.hpp"
#include "tests/campaign/budget.hpp"
#include "tests/places.hpp"
#include "tests/temporary_directory.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/wait.h>

namespace retrystorm::campaign {

namespace {

// The lines but for the excerpts of a file beneath them, which begin with a blank.
std::size_t messages_in(const std::string& text) {
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    if (text[at] != ' ') ++lines;
    if (text.find('\n', at) == text.npos) break;
  }
  return lines;
}

// Runs `retrystorm predict ARGUMENTS` in a folder that holds the case's file.
Said predict_in_shell(const Case& c, const std::string& arguments) {
  namespace fs = std::filesystem;
  const TemporaryDirectory output;
  const TemporaryDirectory place;
  place.write("case.toml", text_of(c));
  const std::string command = fmt::format(
      "cd '{}' && timeout -k 1 {} '{}' predict case.toml {} --engine simulate "
      "--json "
      "</dev/null >'{}' 2>'{}'",
      place.path(), patience_s, program_path(), arguments, output.file("out"),
      output.file("error"));
  const int status = std::system(command.c_str());
  Said said;
  said.out = read_file(output.file("out"));
  said.error = read_file(output.file("error"));
  said.lines = messages_in(said.error);
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

// The value as a flag takes it; nothing where that would be another value.
std::optional<std::string> flag_text(const Field& field, const std::string& value) {
  const bool list = field.type == "set" || field.type == "texts";
  const bool number = field.type == "integer" || field.type == "number" || field.type == "rate";
  if (value.starts_with('[') != list || (number && value.starts_with('"'))) return std::nullopt;
  try {
    const toml::table table = parse_toml("v = " + value, "a value");
    const std::string text = to_text(field_value(*table.get("v"), "a value", "v"));
    const bool plain = !text.empty() && text.find('\'') == text.npos;
    return plain ? std::optional(text) : std::nullopt;
  } catch (const InvalidInput&) {
    return std::nullopt;
  }
}

}  // namespace

Said predict_by_program(const Case& c) {
  return predict_in_shell(c, "case.toml");
}

std::optional<Said> predict_by_flags(const Case& c) {
  std::string arguments;
  for (const Line& line : c.lines) {
    const Field* field = find_field(line.key);
    const auto text = field ? flag_text(*field, line.value) : std::nullopt;
    if (!text) return std::nullopt;
    arguments += fmt::format(" '{}={}'", field->flag(), *text);
  }
  return predict_in_shell(c, arguments);
}

}  // namespace retrystorm::campaign
