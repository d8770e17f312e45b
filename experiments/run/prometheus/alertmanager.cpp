#include "experiments/run/prometheus/alertmanager.hpp"

#include "core/clocks.hpp"
#include "experiments/run/prometheus/api.hpp"

#include <thread>

#include <fmt/format.h>

namespace retrystorm {

std::string alertmanager_problem(const Address& address, Duration patience) {
  using namespace std::chrono_literals;
  const PrometheusApi api(address, 2s);
  const Instant end = steady_now() + patience;
  auto status = api.status("/-/healthy");
  while (!status && steady_now() < end) {
    std::this_thread::sleep_for(100ms);
    status = api.status("/-/healthy");
  }
  if (status == 200) return {};
  if (!status) return fmt::format("{}: no Alertmanager answers there", address.text());
  return fmt::format("{}: what answers there is no Alertmanager (status {} for /-/healthy)",
                     address.text(), *status);
}

}  // namespace retrystorm
