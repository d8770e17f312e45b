#include "core/net/metrics_endpoint.hpp"

#include "core/clocks.hpp"
#include "core/net/acceptor.hpp"
#include "core/net/listen.hpp"
#include "core/net/scraper.hpp"
#include "core/start_thread.hpp"

#include <chrono>
#include <new>
#include <sstream>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <prometheus/text_serializer.h>

namespace retrystorm {
namespace {

namespace asio = boost::asio;

constexpr auto sweep_every = std::chrono::seconds(1);

}  // namespace

class MetricsEndpoint::Server {
 public:
  Server(const Address& address, std::string_view flag, Collect collect)
      : collect_(std::move(collect)),
        replies_(wall_second()),
        acceptor_(listen_on(context_, address, flag), accepting_memory_,
                  {[this](Descriptor socket) { take(std::move(socket)); }, [](int, int) {}}) {
    address_ = acceptor_.address();
    acceptor_.start();
    sweep_later();
    thread_ = start_thread(flag, [this] { run(); });
  }
  ~Server() {
    context_.stop();
    thread_.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const Address& address() const { return address_; }

 private:
  void run() {
    for (;;) {
      try {
        context_.run();
        return;
      } catch (const std::bad_alloc&) {
        // Of one scraper, which is gone; the others go on.
      }
    }
  }

  // Where there is no memory for it, its descriptor closes itself.
  void take(Descriptor socket) {
    if (common_.open >= most_connections && !common_.waiting.empty()) {
      common_.waiting.front().close();
    }
    try {
      std::make_shared<Scraper>(context_, common_)->start(std::move(socket));
    } catch (const std::bad_alloc&) {
    }
  }

  void sweep_later() {
    sweep_timer_.expires_after(sweep_every);
    sweep_timer_.async_wait(kept_in(sweep_memory_, [this](const boost::system::error_code& error) {
      if (!error) sweep();
    }));
  }

  void sweep() {
    replies_.set_date(wall_second());
    const Instant now = steady_now();
    while (!common_.waiting.empty() && common_.waiting.front().deadline <= now) {
      common_.waiting.front().expire();
    }
    sweep_later();
  }

  // Whole or not at all: a stream keeps it to itself when memory ends, unless told otherwise.
  std::string page() const {
    std::ostringstream page;
    page.exceptions(std::ios_base::badbit);
    prometheus::TextSerializer().Serialize(page, collect_());
    return page.str();
  }

  Collect collect_;
  Replies replies_;
  Scraper::Common common_{replies_, [this] { return page(); }, {}, 0};
  // These outlive the context, which destroys the handlers that are left.
  Acceptor::Memory accepting_memory_;
  HandlerMemory sweep_memory_;
  asio::io_context context_{1};
  Acceptor acceptor_;
  asio::steady_timer sweep_timer_{context_};
  Address address_;
  std::thread thread_;
};

MetricsEndpoint::MetricsEndpoint(const Address& address, std::string_view flag, Collect collect)
    : server_(std::make_unique<Server>(address, flag, std::move(collect))) {}

MetricsEndpoint::~MetricsEndpoint() = default;

const Address& MetricsEndpoint::address() const {
  return server_->address();
}

}  // namespace retrystorm
