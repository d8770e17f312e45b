#include "core/csv_field.hpp"

#include "core/units.hpp"

namespace retrystorm {
namespace {

bool would_run(std::string_view text) {
  constexpr std::string_view starts = "=+-@\t\r\n";
  return !text.empty() && starts.find(text.front()) != starts.npos && !parse_number(text);
}

}  // namespace

std::string csv_field(std::string_view text) {
  const bool run = would_run(text);
  if (!run && text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string quoted = run ? "\"'" : "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace retrystorm
