// The server of the live page: a port and a thread of its own beside Prometheus, which the browser
// never sees. It serves the files of dashboards/ that the program carries, the run's own run.json,
// and passes queries on; who may ask, and for what, stands in page_gate.hpp.
#pragma once

#include "core/net/address.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace retrystorm {

struct PageServerOptions {
  Address listen{"127.0.0.1", 0};
  std::string_view flag;  // the one that chose where to listen, for messages
  Address prometheus;     // where queries go
  std::string run_file;   // served as /user/run.json; empty: there is none
};

class PageServer {
 public:
  // Serves until destroyed. Throws RunFailed naming the flag when it cannot listen.
  explicit PageServer(const PageServerOptions& options);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  // Where it listens.
  const Address& address() const;
  // What a browser opens.
  std::string page() const { return "http://" + address().text() + "/user/live/"; }

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace retrystorm
