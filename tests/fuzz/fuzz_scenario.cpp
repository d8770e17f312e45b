// Any bytes as a scenario file: one InvalidInput, or a scenario that is written and read back
// equal.
#include "core/error.hpp"
#include "core/scenario_toml.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace retrystorm;
  Scenario scenario;
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    read_scenario(scenario, text, "fuzz.toml");
    validate(scenario, "fuzz.toml");
  } catch (const InvalidFile& error) {
    for (const InvalidFile::Mistake& mistake : error.mistakes()) {
      if (mistake.line.find('\n') != std::string::npos) std::abort();
    }
    return 0;
  } catch (const InvalidInput& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
    return 0;
  }
  const std::string written = scenario_to_toml(scenario);
  Scenario back;
  read_scenario(back, written, "written");
  if (scenario_to_toml(back) != written) std::abort();
  return 0;
}
