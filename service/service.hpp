// The service as a value that can be started and stopped: listening socket, loops, Station, ledger
// and metrics put together. serve() wraps it for the command line; tests run it in a thread.
#pragma once

#include "service/counters.hpp"
#include "service/serve.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace retrystorm {

// What a finished service has to say.
struct ServiceReport {
  ServiceCounts counts;
  Duration effective_work{};        // mean of finished - picked; 0 without completions
  std::uint64_t carry_limited = 0;  // starts whose lateness was cut: the ceiling was not exact then
  std::uint64_t ledger_lost = 0;    // rows
  std::string ledger_error;         // why the first of them was
  std::map<std::string, std::string> ledger_sha256;  // of each file of the ledger, by its name
  double cpu_seconds = 0;                            // of the process
  bool stopped_at_once = false;                      // not drained
  std::vector<std::string> warnings;
};

class Service {
 public:
  // Listens, from now on, and has its threads; throws RunFailed, naming what is short, when it
  // cannot.
  explicit Service(const ServeOptions& options);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Where it listens.
  const Address& address() const;
  const std::optional<Address>& metrics_address() const;

  // Serves until stopped; once.
  ServiceReport run();

  // Any thread. The first call ends it in order: no more connections, what is queued and in work is
  // finished. The second ends it at once.
  void stop();

  // Any thread: the counts so far.
  ServiceCounts counts() const;
  // Any thread: the queue and the workers now.
  StationView station() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace retrystorm
