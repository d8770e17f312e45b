// Any bytes as a report.json: one InvalidInput, or a report that is written and read back equal.
#include "core/error.hpp"
#include "core/json.hpp"
#include "experiments/report/report.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace retrystorm;
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Report report = report_from_json(parse_json(text, "report.json"), "report.json");
    const std::string written = pretty_json(to_json(report));
    if (pretty_json(to_json(report_from_json(parse_json(written, "back"), "back"))) != written)
      std::abort();
  } catch (const InvalidInput&) {
    return 0;
  }
  return 0;
}
