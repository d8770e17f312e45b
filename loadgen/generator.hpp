// The generator as an object: one driver and one thread for each share of the schedule, started
// together, stopped from anywhere, their books merged. Knows no signals, terminal or report.
#pragma once

#include "core/ledger.hpp"
#include "loadgen/driver.hpp"
#include "loadgen/load.hpp"
#include "loadgen/result.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace retrystorm::loadgen {

class Generator {
 public:
  // `options` with token, threads and max_in_flight resolved (see resolve()). Opens nothing yet.
  explicit Generator(const LoadOptions& options);
  // Leaves at once if it is still running.
  ~Generator();
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  // Opens the ledger and starts the threads; the schedule begins a few milliseconds later.
  // `on_end` is called once, from the last thread that ends. Throws RunFailed.
  void start(std::function<void()> on_end = [] {});

  // From any thread, at any time after start(): ends sending and drains; leaves what is in flight.
  void stop();
  void leave();

  // Waits for the end and gives what was seen, once.
  Result wait();

  // What the threads have counted so far, added up.
  LiveCounts live() const;
  // The part of each class in it, if there are several.
  std::vector<LiveCounts> live_by_class() const;
  // Since the start of the schedule, negative before it.
  Duration elapsed() const;
  Driver& driver(std::size_t thread) { return threads_[thread]->driver; }

 private:
  struct Thread {
    explicit Thread(const DriverPlan& plan)
        : live(longest_timeout(plan.scenario)), driver(plan, live) {}
    LiveCounts live;
    Driver driver;
    LedgerFiles files;
    std::string failure;  // what ended the loop by an exception
    std::thread thread;
  };

  LoadOptions options_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::unique_ptr<Ledger> ledger_;
  std::function<void()> on_end_;
  std::atomic<std::size_t> running_{0};
  Instant origin_{};
  Duration cpu_before_{};
};

}  // namespace retrystorm::loadgen
