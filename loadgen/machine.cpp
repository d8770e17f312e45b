#include "loadgen/machine.hpp"

#include "core/cores.hpp"
#include "core/error.hpp"
#include "core/ledger.hpp"
#include "core/net/limits.hpp"
#include "core/policy/budget.hpp"
#include "loadgen/target.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm::loadgen {
namespace {

constexpr std::uint64_t descriptors_wanted = 100'000;
constexpr std::uint64_t descriptors_kept = 100;  // for ledger, metrics, standard streams
constexpr std::uint64_t small_port_range = 10'000;

}  // namespace

std::int64_t most_in_flight(std::uint64_t descriptors, std::uint64_t ports) {
  std::uint64_t most =
      descriptors > 2 * descriptors_kept ? descriptors - descriptors_kept : descriptors / 2;
  // A tenth of the ports stays free: near the end of the range the kernel searches long for one.
  if (ports > 0) most = std::min(most, ports - ports / 10);
  return static_cast<std::int64_t>(std::clamp<std::uint64_t>(most, 1, 10'000'000));
}

LoadOptions resolve(LoadOptions options) {
  Address& target = options.target.address;
  const std::vector<Address> addresses = addresses_of(target, "URL");
  for (const Address& address : addresses) {
    if (options.allow_remote || address.loopback()) continue;
    throw InvalidInput(
        command_line, "URL",
        fmt::format("{}{} is not on the loopback interface; add --allow-remote if it "
                    "is yours to load",
                    address.text(),
                    address.host == target.host ? std::string()
                                                : fmt::format(" (of {})", printable(target.host))));
  }
  target = answering(addresses);
  if (options.token == 0) options.token = fresh_token();
  if (options.threads == 0) {
    options.threads = static_cast<std::uint32_t>(most_shares(options.scenario, half_the_cores()));
  }
  const std::uint64_t threads = most_shares(options.scenario, options.threads);
  if (threads != options.threads) {
    throw InvalidInput(command_line, "--threads",
                       fmt::format("must be a number that client.budget allows, such as {}: "
                                   "threads share nothing, so all requests of a caller are one "
                                   "thread's; got '{}'",
                                   threads, options.threads));
  }
  const std::uint64_t descriptors = raise_descriptor_limit(descriptors_wanted);
  auto& cap = options.scenario.client.max_in_flight;
  if (!cap) {
    cap = most_in_flight(descriptors, local_ports());
    options.machine_caps_in_flight = true;
  }
  if (const auto users = options.scenario.client.users; users && *users > *cap) {
    throw InvalidInput(command_line, "client.users",
                       fmt::format("must be at most the {} attempts that this machine allows in "
                                   "flight at once; got '{}'",
                                   *cap, *users));
  }
  return options;
}

std::vector<std::string> machine_warnings(std::uint64_t ports, bool time_wait_reuse) {
  std::vector<std::string> warnings;
  if (ports > 0 && ports < small_port_range) {
    warnings.push_back(fmt::format(
        "only {} local ports (net.ipv4.ip_local_port_range): connections closed after timeouts "
        "may use them up",
        ports));
  }
  if (!time_wait_reuse) {
    warnings.push_back(
        "ports in TIME_WAIT are not used again (net.ipv4.tcp_tw_reuse is 0): connections closed "
        "after timeouts may use them up; --abandon rst leaves none");
  }
  return warnings;
}

}  // namespace retrystorm::loadgen
