// A Prometheus of a run's own: Debian's program, started in the run's directory with the rules of
// dashboards/rules scaled for short runs, and stopped with the run. Its data stay. It listens on a
// port of loopback that nobody is told: what a browser may ask goes through the page's server.
#pragma once

#include "experiments/run/child_process.hpp"
#include "experiments/run/interrupts.hpp"
#include "experiments/run/prometheus/api.hpp"
#include "experiments/run/prometheus/page_server.hpp"
#include "experiments/run/prometheus/reserved_port.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace retrystorm {

struct PrometheusOptions {
  // Where the page is served, and the flag that says so. Port 0: a free one, of 127.0.0.1.
  Address listen{"127.0.0.1", 0};
  std::string_view flag;
  // An Alertmanager that is told of firing alerts.
  std::optional<Address> alertmanager;
  // What the run says of itself for the page (live_page.hpp).
  std::string run_file;
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

  // Where a browser finds the live page.
  std::string page() const { return page_.page(); }
  PrometheusApi api() const { return PrometheusApi(own_.address()); }
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
  ReservedPort service_, generator_, own_;
  PageServer page_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace retrystorm
