// The verb's frame around the generator: signals, metrics, the live line, the report.
#include "loadgen/load.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/net/limits.hpp"
#include "core/net/metrics_endpoint.hpp"
#include "core/net/signals.hpp"
#include "core/standard_error.hpp"
#include "core/terminal.hpp"
#include "loadgen/generator.hpp"
#include "loadgen/machine.hpp"
#include "loadgen/metrics.hpp"
#include "loadgen/progress.hpp"
#include "loadgen/report.hpp"

#include <atomic>
#include <cstdio>
#include <future>
#include <optional>

#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <unistd.h>

namespace retrystorm {
namespace {

using loadgen::Generator;
using loadgen::Progress;

// Returns when the generator has ended; shows a line on the terminal meanwhile.
void watch(const Generator& generator, const std::future<void>& end, Duration duration, bool show) {
  if (!show) return end.wait();
  Progress progress(duration, look_of(STDERR_FILENO).width);
  while (end.wait_for(Progress::period) != std::future_status::ready) {
    say(fmt::format("\r{}\x1b[K", progress.line(generator.live(), generator.elapsed())));
  }
  say("\r\x1b[K");
}

}  // namespace

int load(const LoadOptions& given) {
  const LoadOptions options = loadgen::resolve(given);
  std::promise<void> ended;
  Generator generator(options);
  std::atomic<int> asked_to_end{0};
  const StopSignals signals([&](int nth) {
    nth == 1 ? generator.stop() : generator.leave();
    asked_to_end = nth;
    asked_to_end.notify_all();
  });
  std::optional<MetricsEndpoint> metrics;
  if (options.metrics) {
    metrics.emplace(*options.metrics, "--metrics", [&] {
      return loadgen::metrics_of(generator.live(), generator.live_by_class());
    });
  }
  generator.start([&] { ended.set_value(); });
  watch(generator, ended.get_future(), options.scenario.client.duration,
        !options.json && isatty(STDERR_FILENO) == 1);
  loadgen::Result result = generator.wait();
  result.warnings = loadgen::machine_warnings(local_ports(), time_wait_reuse());

  const std::string report = options.json ? pretty_json(loadgen::to_json(result))
                                          : loadgen::to_text(result, look_of(STDOUT_FILENO).width);
  if (std::fwrite(report.data(), 1, report.size(), stdout) != report.size() ||
      std::fflush(stdout) != 0) {
    throw RunFailed("the report could not be written to standard output");
  }
  if (options.hold) asked_to_end.wait(0);
  int code = exit_done;
  if (!loadgen::failed_thresholds(result).empty()) code = worse_exit(code, exit_failed);
  if (!loadgen::limited_by(result).empty()) code = worse_exit(code, exit_untrusted);
  if (result.interrupted) code = worse_exit(code, exit_interrupted);
  return code;
}

}  // namespace retrystorm
