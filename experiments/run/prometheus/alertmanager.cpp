#include "experiments/run/prometheus/alertmanager.hpp"

#include "experiments/run/prometheus/api.hpp"

#include <fmt/format.h>

namespace retrystorm {

std::string alertmanager_problem(const Address& address) {
  const auto status = PrometheusApi(address, std::chrono::seconds(2)).status("/-/healthy");
  if (status == 200) return {};
  if (!status) return fmt::format("{}: no Alertmanager answers there", address.text());
  return fmt::format("{}: what answers there is no Alertmanager (status {} for /-/healthy)",
                     address.text(), *status);
}

}  // namespace retrystorm
