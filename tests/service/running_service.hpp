// A Service running in a thread of the test, with a ledger of its own. Whatever a test does to it,
// at the end the ledger and the counts must agree and add up.
#pragma once

#include "core/record.hpp"
#include "service/service.hpp"

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace retrystorm {

// One worker, an hour of work, no queue, any free port, no metrics: what a test changes it says.
ServeOptions plain_options();

class RunningService {
 public:
  explicit RunningService(ServeOptions options = plain_options());
  ~RunningService();
  RunningService(const RunningService&) = delete;
  RunningService& operator=(const RunningService&) = delete;

  Service& operator*() { return *service_; }
  Service* operator->() { return service_.get(); }
  const Address& address() const { return service_->address(); }

  // Stops it in order, or at once; then checks the identities of counts and ledger.
  const ServiceReport& stop();
  const ServiceReport& stop_at_once();

  const ServiceReport& report() const { return report_; }

  // After a stop: the arrivals, in the order of their ledger files; without the amending rows.
  const std::vector<ArrivalRecord>& arrivals() const { return arrivals_; }
  const std::vector<ArrivalRecord>& amendments() const { return amendments_; }

 private:
  void finish();
  void read_ledger_files();
  void check_identities() const;

  std::string directory_;
  ServeOptions options_;
  std::unique_ptr<Service> service_;
  std::thread thread_;
  ServiceReport report_;
  std::vector<ArrivalRecord> arrivals_;
  std::vector<ArrivalRecord> amendments_;
};

// For the names of cases.
constexpr const char* case_name(WorkKind kind) {
  switch (kind) {
    case WorkKind::timer:
      return "Timer";
    case WorkKind::sleep:
      return "Sleep";
    case WorkKind::spin:
      return "Spin";
  }
  return "";
}

// Waits until the condition holds; fails the test after a minute.
void wait_until(const std::function<bool()>& condition, const char* what);

}  // namespace retrystorm
