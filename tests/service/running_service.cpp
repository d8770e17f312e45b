#include "tests/service/running_service.hpp"

#include "core/ledger.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace retrystorm {

ServeOptions plain_options() {
  ServeOptions options;
  options.scenario.service.workers = 1;
  options.scenario.service.work = std::chrono::hours(1);
  options.scenario.service.queue = 0;
  options.listen = {"127.0.0.1", 0};
  options.metrics.reset();
  return options;
}

RunningService::RunningService(ServeOptions options) : options_(std::move(options)) {
  std::string name = (std::filesystem::temp_directory_path() / "retrystorm-XXXXXX").string();
  directory_ = ::mkdtemp(name.data());
  options_.ledger = directory_;
  service_ = std::make_unique<Service>(options_);
  thread_ = std::thread([this] { report_ = service_->run(); });
}

RunningService::~RunningService() {
  if (thread_.joinable()) stop_at_once();
  std::filesystem::remove_all(directory_);
}

const ServiceReport& RunningService::stop() {
  service_->stop();
  finish();
  return report_;
}

const ServiceReport& RunningService::stop_at_once() {
  service_->stop();
  service_->stop();
  finish();
  return report_;
}

void RunningService::finish() {
  thread_.join();
  read_ledger_files();
  if (report_.ledger_lost == 0) check_identities();
}

void RunningService::read_ledger_files() {
  for (std::uint32_t i = 0; i < options_.threads; ++i) {
    const auto content =
        read_ledger<ArrivalRecord>(fmt::format("{}/arrivals-{}.bin", directory_, i));
    for (const ArrivalRecord& row : content.records) {
      (row.amends ? amendments_ : arrivals_).push_back(row);
    }
  }
}

void RunningService::check_identities() const {
  const auto count = [&](auto&& which) {
    return static_cast<std::uint64_t>(std::count_if(arrivals_.begin(), arrivals_.end(), which));
  };
  const auto disposed = [&](Disposition d) {
    return count([d](const ArrivalRecord& r) { return r.disposition == d; });
  };
  const ServiceCounts& c = report_.counts;
  EXPECT_EQ(c.arrived(), c.completed + c.refused() + c.skipped + c.unfinished);
  EXPECT_EQ(c.arrived(), arrivals_.size());
  EXPECT_EQ(c.completed, disposed(Disposition::completed));
  EXPECT_EQ(c.refused(), disposed(Disposition::refused));
  EXPECT_EQ(c.skipped, disposed(Disposition::skipped));
  EXPECT_EQ(c.unfinished, disposed(Disposition::unfinished));
  EXPECT_EQ(c.abandoned_seen,
            count([](const ArrivalRecord& r) { return r.seen_gone == SeenGone::at_reply; }));
  EXPECT_EQ(c.seen_later, amendments_.size());
  EXPECT_EQ(c.connections(), 0U);
  for (const ArrivalRecord& r : arrivals_) {
    EXPECT_GT(r.arrived, 0);
    if (r.disposition != Disposition::completed) continue;
    EXPECT_LE(r.arrived, r.picked);
    EXPECT_LE(r.started, r.picked);
    // Spinning ends by the CPU's time, and the steady clock may have stood still meanwhile.
    EXPECT_LE(r.started, r.due - (options_.scenario.service.work_kind == WorkKind::spin ? 0 : 1));
    EXPECT_LE(r.due, r.finished);  // never early
  }
}

void wait_until(const std::function<bool()>& condition, const char* what) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > patience) {
      FAIL() << "waited in vain until " << what;
      return;
    }
    std::this_thread::yield();
  }
}

}  // namespace retrystorm
