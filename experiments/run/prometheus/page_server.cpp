#include "experiments/run/prometheus/page_server.hpp"

#include "core/net/listen.hpp"
#include "experiments/run/prometheus/page_session.hpp"

#include <chrono>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace retrystorm {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr int most_connections = 64;  // a browser opens six for each of its tabs

}  // namespace

class PageServer::Server {
 public:
  explicit Server(const PageServerOptions& options)
      : shared_{options.prometheus, options.run_file, 0},
        acceptor_(listen_on(context_, options.listen, options.flag)),
        address_(local_address(acceptor_)) {
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Server() {
    context_.stop();
    thread_.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const Address& address() const { return address_; }

 private:
  void accept() {
    acceptor_.async_accept([this](boost::system::error_code error, tcp::socket socket) {
      if (error) return accept_later();  // out of descriptors, most likely
      if (shared_.open < most_connections) {
        std::make_shared<PageSession>(std::move(socket), shared_)->read();
      }
      accept();
    });
  }

  void accept_later() {
    back_off_.expires_after(std::chrono::milliseconds(50));
    back_off_.async_wait([this](boost::system::error_code) { accept(); });
  }

  PageSession::Shared shared_;  // outlives the sessions, which the context destroys last
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  Address address_;
  asio::steady_timer back_off_{context_};
  std::thread thread_;
};

PageServer::PageServer(const PageServerOptions& options)
    : server_(std::make_unique<Server>(options)) {}

PageServer::~PageServer() = default;

const Address& PageServer::address() const {
  return server_->address();
}

}  // namespace retrystorm
