#include "service/serve.hpp"

#include "core/error.hpp"
#include "core/net/signals.hpp"
#include "core/number_text.hpp"
#include "service/service.hpp"
#include "service/service_metrics.hpp"

#include <cstdio>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

namespace json = boost::json;

// One line, out at once: a parent process waits for it. A service that nobody can find is no
// service, so what cannot be said ends it.
void print_line(std::string line) {
  line += '\n';
  if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size() || std::fflush(stdout) != 0) {
    throw RunFailed("standard output: cannot be written");
  }
}

std::string listening_json(const Service& service, const ServeOptions& options) {
  json::object line{{"event", "listening"}, {"address", service.address().text()}};
  line["metrics"] = nullptr;
  if (service.metrics_address()) line["metrics"] = service.metrics_address()->text();
  line["threads"] = options.threads;
  return json::serialize(line);
}

std::string listening_text(const Service& service, const ServeOptions& options) {
  const Scenario& s = options.scenario;
  std::string text =
      fmt::format("listening on http://{}/: {} workers x {} = {}/s at most, queue {}",
                  service.address().text(), s.service.workers, format_duration(s.service.work),
                  plain_rate_text(ceiling(s)), queue_places(s));
  if (const auto useful = useful_queue(s)) text += fmt::format(" (useful {})", *useful);
  if (service.metrics_address()) {
    text += fmt::format(", metrics on http://{}/metrics", service.metrics_address()->text());
  }
  return text;
}

std::string stopped_json(const ServiceReport& r, const ServeOptions& options) {
  json::object line{{"event", "stopped"}};
  line["arrived"] = r.counts.arrived();
  put_counts(line, r.counts);
  line["effective_work_ms"] = nullptr;
  if (r.counts.completed > 0) line["effective_work_ms"] = milliseconds(r.effective_work);
  line["carry_limited"] = r.carry_limited;
  line["cpu_seconds"] = r.cpu_seconds;
  line["threads"] = options.threads;
  line["ledger_lost"] = r.ledger_lost;
  line["ledger_error"] = r.ledger_error;
  json::object& sha256 = line["ledger_sha256"].emplace_object();
  for (const auto& [file, digest] : r.ledger_sha256) sha256[file] = digest;
  line["warnings"] = json::array(r.warnings.begin(), r.warnings.end());
  return json::serialize(line);
}

std::string stopped_text(const ServiceReport& r) {
  const ServiceCounts& c = r.counts;
  std::string text = fmt::format(
      "arrived {}: completed {}, refused {}, skipped {}, unfinished {}\n"
      "of the completed, {} had lost their client when the reply was due, {} more were seen later\n"
      "connections {}, over the cap {}, timed out {}; bad requests {}\n",
      c.arrived(), c.completed.read(), c.refused(), c.skipped.read(), c.unfinished.read(),
      c.abandoned_seen.read(), c.seen_later.read(), c.opened.read(), c.over_cap.read(),
      c.timed_out.read(), c.bad_requests.read());
  if (c.completed > 0) {
    text += fmt::format("mean work {:.3f} ms, lateness at its bound {} times\n",
                        milliseconds(r.effective_work), r.carry_limited);
  }
  text += fmt::format("CPU {:.2f} s", r.cpu_seconds);
  for (const std::string& warning : r.warnings) text += fmt::format("\nwarning: {}", warning);
  return text;
}

}  // namespace

int serve(const ServeOptions& options) {
  Service service(options);
  const StopSignals signals([&](int) { service.stop(); });
  print_line(options.json ? listening_json(service, options) : listening_text(service, options));
  const ServiceReport report = service.run();
  print_line(options.json ? stopped_json(report, options) : stopped_text(report));
  return report.stopped_at_once ? exit_interrupted : exit_done;
}

}  // namespace retrystorm
