#include "tests/campaign/case.hpp"

#include "core/fields.hpp"
#include "core/scenario_toml.hpp"

#include <fmt/format.h>

namespace retrystorm::campaign {
namespace {

// For bash: $'...' where a byte cannot be seen, '...' otherwise.
std::string quoted(const std::string& text) {
  std::string result;
  bool plain = true;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F) {
      plain = false;
      result += fmt::format("\\x{:02x}", byte);
    } else if (c == '\'' || c == '\\') {
      plain = false;
      result += fmt::format("\\{}", c);
    } else {
      result += c;
    }
  }
  return fmt::format("{}'{}'", plain ? "" : "$", plain ? text : result);
}

std::string line_of(const Line& line) {
  return line.value.empty() ? line.key : fmt::format("{} = {}", line.key, line.value);
}

}  // namespace

std::string text_of(const Case& c) {
  std::string text;
  for (const Line& line : c.lines) text += line_of(line) + "\n";
  return text;
}

Scenario scenario_of(const Case& c) {
  constexpr std::string_view file = "case.toml";
  Scenario scenario;
  read_scenario(scenario, text_of(c), file);
  validate(scenario, file);
  return scenario;
}

std::string arguments_of(const Case& c) {
  std::string text = "--check";
  if (!c.flaw.empty()) text += " " + quoted("!" + c.named);
  for (const Line& line : c.lines) text += " " + quoted(line_of(line));
  return text;
}

Case case_from(const std::vector<std::string>& arguments) {
  Case c;
  for (const std::string& argument : arguments) {
    if (argument.starts_with('!')) {
      c.flaw = "as given";
      c.named = argument.substr(1);
      continue;
    }
    const std::size_t sign = argument.find(" = ");
    if (sign == argument.npos) {
      c.lines.push_back({argument, ""});
    } else {
      c.lines.push_back({argument.substr(0, sign), argument.substr(sign + 3)});
    }
  }
  return c;
}

}  // namespace retrystorm::campaign
