// Any text as a flag's value, for every field, and as a duration, a rate, a token: refused, or read
// back equal.
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/ledger.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace retrystorm;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto duration = parse_duration(text)) {
    if (parse_duration(format_duration(*duration)) != duration) std::abort();
  }
  if (const auto rate = parse_rate(text)) {
    if (parse_rate(format_number(*rate)) != rate) std::abort();
  }
  if (const auto id = parse_attempt_id(text)) {
    const auto back = parse_attempt_id(format_attempt_id(*id));
    if (!back || back->token != id->token || back->request != id->request) std::abort();
  }
  for (const Field& field : fields()) {
    Scenario scenario;
    try {
      set_field(scenario, field, value_from_text(field, text), "command line", field.flag());
    } catch (const InvalidInput&) {
      continue;
    }
    Scenario back;
    set_field(back, field, value_from_text(field, to_text(field.get(scenario))), "back",
              field.flag());
    if (field.get(back) != field.get(scenario)) std::abort();
  }
  return 0;
}
