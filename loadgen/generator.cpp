#include "loadgen/generator.hpp"

#include "core/clocks.hpp"
#include "core/error.hpp"
#include "core/policy/budget.hpp"
#include "loadgen/metrics.hpp"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

namespace retrystorm::loadgen {
namespace {

// Between the start of the threads and the first request, so that it is not late.
constexpr Duration lead = std::chrono::milliseconds(10);

// CPU time of the whole process, from the scheduler's clock.
Duration cpu_time() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

}  // namespace

Generator::Generator(const LoadOptions& options) : options_(options) {
  const auto cap = options_.scenario.client.max_in_flight;
  std::uint64_t n = std::max<std::uint64_t>(options_.threads, 1);
  if (cap) n = std::min(n, static_cast<std::uint64_t>(*cap));
  const auto users = options_.scenario.client.users;
  if (users) n = std::min(n, static_cast<std::uint64_t>(*users));
  n = most_shares(options_.scenario, n);
  for (std::uint64_t k = 0; k < n; ++k) {
    const Reason at_cap =
        options_.machine_caps_in_flight ? Reason::in_flight_cap : Reason::in_flight_limit;
    DriverPlan plan{options_.scenario, at_cap,        options_.target,
                    options_.token,    options_.spin, {k, n}};
    plan.late = late_from(options_.limits);
    if (cap) {
      const auto parts = static_cast<std::int64_t>(n);
      const bool one_more = static_cast<std::int64_t>(k) < *cap % parts;
      plan.scenario.client.max_in_flight = *cap / parts + (one_more ? 1 : 0);
    }
    threads_.push_back(std::make_unique<Thread>(plan));
  }
}

Generator::~Generator() {
  leave();
  for (const auto& t : threads_) {
    if (t->thread.joinable()) t->thread.join();
  }
}

void Generator::start(std::function<void()> on_end) {
  on_end_ = std::move(on_end);
  cpu_before_ = cpu_time();
  ledger_ = std::make_unique<Ledger>(options_.ledger, options_.token);
  origin_ = steady_now() + lead;
  for (std::uint32_t k = 0; k < threads_.size(); ++k) {
    threads_[k]->files = {ledger_->open(RecordKind::attempts, k, nanoseconds_of(origin_)),
                          ledger_->open(RecordKind::requests, k, nanoseconds_of(origin_))};
  }
  running_ = threads_.size();
  for (const auto& t : threads_) {
    t->thread = std::thread([this, &t = *t] {
      try {
        t.driver.run(origin_, t.files);
      } catch (const std::exception& error) {
        t.failure = error.what();
      }
      if (--running_ == 0) on_end_();
    });
  }
}

void Generator::stop() {
  for (const auto& t : threads_) t->driver.stop();
}

void Generator::leave() {
  for (const auto& t : threads_) t->driver.leave();
}

Result Generator::wait() {
  for (const auto& t : threads_) t->thread.join();
  Result result;
  result.options = options_;
  result.threads = static_cast<std::uint32_t>(threads_.size());
  result.origin = origin_;
  result.wall = elapsed();
  result.cpu = cpu_time() - cpu_before_;
  result.planned = 0;
  result.classes.resize(options_.scenario.classes.size());
  for (const auto& t : threads_) {
    // An interrupt that came after the end interrupted nothing.
    result.interrupted = result.interrupted || t->driver.interrupted();
    result.seen.merge(t->driver.recorder().observed());
    for (std::size_t c = 0; c < result.classes.size(); ++c) {
      result.classes[c].merge(t->driver.recorder().by_class()[c]);
    }
    result.connections += t->driver.opened();
    const auto planned = t->driver.planned();
    if (result.planned && planned) {
      *result.planned += *planned;
    } else {
      result.planned.reset();
    }
    if (!t->failure.empty() && result.failure.empty()) result.failure = t->failure;
  }
  ledger_->flush();
  result.ledger_lost = ledger_->lost();
  result.ledger_error = ledger_->error();
  result.ledger_sha256 = ledger_->digests();
  return result;
}

LiveCounts Generator::live() const {
  LiveCounts all(longest_timeout(options_.scenario));
  for (const auto& t : threads_) add_up(all, t->live);
  return all;
}

std::vector<LiveCounts> Generator::live_by_class() const {
  const std::size_t classes = options_.scenario.classes.size();
  std::vector<LiveCounts> all(classes, LiveCounts(longest_timeout(options_.scenario)));
  for (const auto& t : threads_) {
    for (std::size_t c = 0; c < classes; ++c) {
      add_up(all[c], t->driver.recorder().live_by_class()[c]);
    }
  }
  return all;
}

Duration Generator::elapsed() const {
  return steady_now() - origin_;
}

}  // namespace retrystorm::loadgen
