#include "core/net/signals.hpp"

#include "core/start_thread.hpp"

#include <atomic>
#include <csignal>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

namespace retrystorm {

struct StopSignals::State {
  explicit State(std::function<void(int)> f) : asked(std::move(f)) {
    std::signal(SIGPIPE, SIG_IGN);
    wait();
    thread = start_thread("signals", [this] { context.run(); });
  }

  void wait() {
    signals.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      wait();  // before the call: it may take its time, or leave
      asked(count.fetch_add(1) + 1);
    });
  }

  std::function<void(int)> asked;
  std::atomic<int> count{0};
  boost::asio::io_context context{1};
  boost::asio::signal_set signals{context, SIGINT, SIGTERM};
  std::thread thread;
};

StopSignals::StopSignals(std::function<void(int)> asked)
    : state_(std::make_unique<State>(std::move(asked))) {}

StopSignals::~StopSignals() {
  state_->context.stop();
  state_->thread.join();
}

int StopSignals::count() const {
  return state_->count.load();
}

}  // namespace retrystorm
