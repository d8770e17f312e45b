// Runs one try of an arm: the service and the generator as child processes of this program on a
// fresh port, until all is answered or something goes wrong. What they wrote is imported elsewhere.
#pragma once

#include "experiments/evidence/try.hpp"
#include "experiments/run/interrupts.hpp"
#include "experiments/run/prometheus/live_page.hpp"
#include "experiments/run/prometheus/server.hpp"

#include <functional>
#include <string>

namespace retrystorm {

struct TrySpec {
  TryKey key;
  std::int64_t repeat = 0;   // which of the repeats asked for it is a try of
  std::int64_t repeats = 1;  // how many were asked for
  Scenario scenario;
  TrustLimits limits;
  std::string directory;                         // of its raw files; made if missing
  std::string program = "/proc/self/exe";        // what gives the verbs serve and load
  const PrometheusServer* prometheus = nullptr;  // scrapes the processes, if there is one
  LivePage* page = nullptr;                      // is told of the try, if there is one
  std::string listen = "127.0.0.1:0";  // where the service listens; port 0 takes a free one
};

// The note of a try, in its directory.
std::string note_file(const std::string& directory);

// Runs it. The note says how it went: a service or generator that died or could not start is a
// failed try, not an error. `tick` is called now and then with the time since sending began. The
// first interrupt ends sending and drains, a second kills. Throws RunFailed only if the directory
// cannot be written.
TryNote run_try(const TrySpec& spec, Interrupts& interrupts,
                const std::function<void(Duration)>& tick);

}  // namespace retrystorm
