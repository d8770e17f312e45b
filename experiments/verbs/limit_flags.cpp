#include "experiments/verbs/limit_flags.hpp"

namespace retrystorm {

void add_limit_flags(Command app, TrustLimits& limits, LimitsOf whose) {
  for (const TrustLimit& one : trust_limits) {
    if (whose == LimitsOf::generator && !one.of_generator) continue;
    app.add_option(std::string(one.flag), limits.*one.value, std::string(one.meaning))
        .type_name("number")
        .within(0, 1e9)
        .capture_default_str()
        .group("Trust");
  }
}

}  // namespace retrystorm
