#include "experiments/run/prometheus/server.hpp"

#include "core/clocks.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "experiments/evidence/run_directory.hpp"
#include "experiments/run/prometheus/dashboard_files.hpp"
#include "experiments/run/prometheus/rule_scale.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;

constexpr auto first_look_limit =
    60s;  // for the first look at its targets; a loaded machine is slow
constexpr auto stop_limit = 20s;

std::string configuration(const Address& service, const Address& generator,
                          const std::optional<Address>& alertmanager) {
  const std::string interval = format_duration(scrape_interval);
  std::string text = fmt::format(
      "# Written by retrystorm run: scrapes the processes of the try that is going on.\n"
      "global:\n"
      "  scrape_interval: {0}\n"
      "  scrape_timeout: {0}\n"
      "  evaluation_interval: {0}\n"
      "rule_files: [rules.yaml]\n"
      "scrape_configs:\n"
      "  - job_name: service\n"
      "    static_configs: [targets: ['{1}']]\n"
      "  - job_name: client\n"
      "    static_configs: [targets: ['{2}']]\n",
      interval, service.text(), generator.text());
  if (alertmanager) {
    text += fmt::format("alerting:\n  alertmanagers:\n    - static_configs: [targets: ['{}']]\n",
                        alertmanager->text());
  }
  return text;
}

}  // namespace

std::string prometheus_program() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string file = std::string(rest.substr(0, end)) + "/prometheus";
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error)) return file;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  throw RunFailed(
      "Prometheus is not installed: apt-get install --no-install-recommends prometheus");
}

void check_free(const Address& address, std::string_view flag) {
  namespace asio = boost::asio;
  if (address.port == 0 && address.host != "127.0.0.1") {
    throw InvalidInput(
        command_line, flag,
        fmt::format("port 0 is a free one of 127.0.0.1; to listen at {}, name a port",
                    address.host));
  }
  boost::system::error_code error;
  asio::io_context context;
  asio::ip::tcp::acceptor acceptor(context);
  const asio::ip::tcp::endpoint there(asio::ip::make_address(address.host), address.port);
  acceptor.open(there.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(there, error);
  if (!error) acceptor.listen(1, error);
  if (!error) return;
  throw RunFailed(fmt::format("{} {}: {}; name another address, or port 0 for any free one", flag,
                              address.text(), error.message()));
}

PrometheusServer::PrometheusServer(const std::string& directory, const PrometheusOptions& options,
                                   Interrupts& interrupts)
    : interrupts_(interrupts),
      page_({options.listen, options.flag, own_.address(), options.run_file}) {
  const std::string program = prometheus_program();
  make_directories(directory);
  constexpr std::string_view rules = "rules/retrystorm.yaml";
  write_whole(directory + "/rules.yaml",
              scale_rules(dashboard_file(rules), short_run_factor, rules));
  // The one of the run stays what it was.
  const std::string file = directory + (options.scrape ? "/prometheus.yaml" : "/look.yaml");
  write_whole(file, options.scrape ? configuration(service_metrics(), generator_metrics(),
                                                   options.alertmanager)
                                   : "# Written by retrystorm watch: nothing is scraped.\n");
  std::vector<std::string> arguments{
      "--config.file=" + file,
      "--storage.tsdb.path=" + directory + "/data",
      "--storage.tsdb.retention.time=100y",  // a run is looked at whenever somebody likes
      "--web.listen-address=" + own_.address().text(),
      "--web.cors.origin=none",     // no page of any origin may read an answer
      "--query.lookback-delta=2s",  // what has ended shall not linger for the usual 5 minutes
      "--log.level=warn"};
  process_ =
      std::make_unique<ChildProcess>(program, std::move(arguments), directory + "/prometheus.log");
  await_ready(options.scrape ? 2 : 0);
}

PrometheusServer::~PrometheusServer() {
  process_->signal(SIGTERM);
  const Instant deadline = steady_now() + stop_limit;
  ChildProcess* const only[] = {process_.get()};
  while (process_->running() && steady_now() < deadline) {
    await(only, interrupts_, deadline);
    interrupts_.count();  // no hurry: the data are being written
  }
}

// Until then, or the user asks to stop, or Prometheus dies.
void PrometheusServer::wait(Duration most) {
  const int asked = interrupts_.count();
  const Instant deadline = steady_now() + most;
  ChildProcess* const only[] = {process_.get()};
  while (interrupts_.count() == asked && process_->running() && steady_now() < deadline) {
    await(only, interrupts_, deadline);
  }
}

void PrometheusServer::stay() {
  wait(std::chrono::hours(24 * 365));
  check_alive();
}

void PrometheusServer::check_alive() const {
  if (process_->running()) return;
  throw RunFailed(
      fmt::format("Prometheus {}: {}", process_->ended()->describe(), process_->last_error()));
}

void PrometheusServer::await_ready(std::size_t targets) {
  const int asked = interrupts_.count();
  const Instant deadline = steady_now() + first_look_limit;
  ChildProcess* const only[] = {process_.get()};
  for (;;) {
    await(only, interrupts_, steady_now() + 100ms);
    check_alive();
    if (interrupts_.count() > asked) return;
    if (api().status("/-/ready") == 200 && api().query("up").size() == targets) return;
    if (steady_now() > deadline) {
      throw RunFailed(
          fmt::format("Prometheus was not ready within {}", format_duration(first_look_limit)));
    }
  }
}

}  // namespace retrystorm
