// A Prometheus of a run's own: Debian's program, started on loopback in the run's directory with
// the rules of dashboards/rules scaled for short runs, and stopped with the run. Its data stay.
#pragma once

#include "experiments/run/child_process.hpp"
#include "experiments/run/interrupts.hpp"
#include "experiments/run/prometheus/api.hpp"
#include "experiments/run/prometheus/reserved_port.hpp"

#include <memory>
#include <optional>
#include <string>

namespace retrystorm {

struct PrometheusOptions {
  // Where it listens. Port 0: a free one, of 127.0.0.1.
  Address listen{"127.0.0.1", 0};
  // An Alertmanager that is told of firing alerts.
  std::optional<Address> alertmanager;
  // A directory of files to serve under /user/; empty: none.
  std::string page;
  // Without it nothing is scraped and no rule evaluated: for looking at what is there.
  bool scrape = true;
};

// How often it scrapes and evaluates the rules.
inline constexpr Duration scrape_interval = std::chrono::milliseconds(250);

// The path of the installed program. Throws RunFailed saying how to get it.
std::string prometheus_program();

// Throws RunFailed (InvalidInput for port 0 of another host than 127.0.0.1) if nothing can listen
// there, naming the flag: before anything is made.
void check_free(const Address& address, std::string_view flag);

class PrometheusServer {
 public:
  // Writes configuration and rules into `directory` and starts it; data that are there already are
  // kept. Returns when it scrapes (it takes 5 s to begin with its first targets), or when the user
  // has asked to stop. Throws RunFailed.
  PrometheusServer(const std::string& directory, const PrometheusOptions& options,
                   Interrupts& interrupts);
  // Stops it in good order.
  ~PrometheusServer();
  PrometheusServer(const PrometheusServer&) = delete;
  PrometheusServer& operator=(const PrometheusServer&) = delete;

  const Address& address() const { return address_; }
  // Where a browser finds the live page.
  std::string page() const { return "http://" + address_.text() + "/user/live/"; }
  PrometheusApi api() const { return PrometheusApi(address_); }
  // Where it looks for the metrics of a try's processes: the same ports for every try, because
  // Prometheus would need 5 s to take notice of new ones.
  const Address& service_metrics() const { return service_.address(); }
  const Address& generator_metrics() const { return generator_.address(); }
  // Returns when the user asks to stop. Throws RunFailed if Prometheus dies before.
  void stay();
  // Lets the shortest rate window pass, so that it never holds the samples of two tries.
  void part_tries() { wait(5 * scrape_interval); }

 private:
  void await_ready(std::size_t targets);
  void check_alive() const;
  void wait(Duration most);

  Interrupts& interrupts_;
  ReservedPort service_, generator_;
  std::optional<ReservedPort> own_;
  Address address_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace retrystorm
