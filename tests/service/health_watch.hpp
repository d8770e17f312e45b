// Asks a service for its health over and over, on kept and on new connections, while a test does
// its worst: every question must be answered.
#pragma once

#include "tests/service/raw_peer.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace retrystorm {

class HealthWatch {
 public:
  explicit HealthWatch(const Address& address) : thread_([this, address] { ask(address); }) {}
  ~HealthWatch() {
    stop_ = true;
    thread_.join();
  }
  HealthWatch(const HealthWatch&) = delete;
  HealthWatch& operator=(const HealthWatch&) = delete;

 private:
  void ask(const Address& address) {
    constexpr int on_one_connection = 20;
    while (!stop_) {
      RawPeer client(address);
      for (int i = 0; i < on_one_connection && !stop_; ++i) {
        client.send(get("/healthz"));
        ASSERT_EQ(client.reply().status, 200);
      }
    }
  }

  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace retrystorm
