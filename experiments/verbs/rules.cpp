// retrystorm rules: the recording rules and alerts, for any length of run.
#include "core/error.hpp"
#include "experiments/run/prometheus/dashboard_files.hpp"
#include "experiments/run/prometheus/rule_scale.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"

#include <memory>

#include <fmt/format.h>

namespace retrystorm {

Verb rules_verb(Command program) {
  Command app = program.add_subcommand("rules", "Print the rules and alerts for Prometheus");
  auto factor = std::make_shared<std::uint64_t>(1);
  app.add_option("--scale", *factor,
                 fmt::format("divide every window and waiting time by this ({} for runs of "
                             "seconds, scraped every 250 ms)",
                             short_run_factor))
      .type_name("N")
      .range(1, 1'000'000)
      .capture_default_str();
  app.footer(
      "Examples:\n"
      "  retrystorm rules > /etc/prometheus/retrystorm.yaml    for a service that lives for "
      "months\n"
      "  retrystorm rules --scale 300 > rules.yaml             1 h becomes 12 s, 5 min become 1 s");
  return {app, [factor] {
            constexpr std::string_view file = "rules/retrystorm.yaml";
            const std::string rules = scale_rules(dashboard_file(file), *factor, "--scale");
            write_output(rules);
            return static_cast<int>(exit_done);
          }};
}

}  // namespace retrystorm
