// The endpoint that Prometheus scrapes: a small HTTP server with a port and a thread of its own, so
// that it answers however busy the rest of the process is. It reads as the service does
// (core/net/request_reader.hpp), and no crowd of idle connections silences it: a newer one takes
// the place of that which has waited longest.
#pragma once

#include "core/net/address.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include <prometheus/metric_family.h>

namespace retrystorm {

class MetricsEndpoint {
 public:
  static constexpr std::size_t most_connections = 64;

  // Answers what GET /metrics asks for; called on the endpoint's thread, so it may only touch what
  // any thread may read.
  using Collect = std::function<std::vector<prometheus::MetricFamily>()>;

  // Serves GET /metrics (text format 0.0.4) and GET /healthz until destroyed. Throws RunFailed
  // naming `flag` when it cannot listen on `address` or has no thread.
  MetricsEndpoint(const Address& address, std::string_view flag, Collect collect);
  ~MetricsEndpoint();
  MetricsEndpoint(const MetricsEndpoint&) = delete;
  MetricsEndpoint& operator=(const MetricsEndpoint&) = delete;

  // Where it listens.
  const Address& address() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace retrystorm
