// A hand-written server for the tests: raw sockets, a thread of its own, and a script that says
// what each request is answered with. It does what decent servers do not.
#pragma once

#include "core/net/url.hpp"
#include "core/record.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace retrystorm::testing_peers {

// A whole request head that the peer received.
struct Heard {
  std::uint64_t nth = 0;            // among all requests, from 0
  std::uint64_t on_connection = 0;  // among those of its connection
  std::uint64_t connection = 0;
  AttemptId id;  // zeros if there was none
  std::string head;
};

struct Answer {
  enum class Then { keep, close, reset };
  std::string bytes;  // empty: say nothing
  Then then = Then::keep;
  bool byte_by_byte = false;
  // Called between the bytes and what follows, and after both.
  std::function<void()> between = [] {};
  std::function<void()> after = [] {};
};

inline std::string reply(int status, std::string_view fields = "", std::string_view body = "ok\n") {
  return "HTTP/1.1 " + std::to_string(status) +
         " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + std::string(fields) +
         "\r\n" + std::string(body);
}

class Peer {
 public:
  using Script = std::function<Answer(const Heard&)>;

  // Listens on a free port of 127.0.0.1. The script runs on the peer's thread.
  explicit Peer(Script script);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  Url url() const;
  // Sends on a connection by its number, late or unasked. Only from within the script.
  void say(std::uint64_t connection, std::string_view bytes);
  // What it heard so far.
  std::vector<Heard> heard() const;
  // Connections accepted; those that the client closed in order, and with a reset.
  std::uint64_t accepted() const;
  // Waits until the client has ended so many connections, and gives how: {closed, reset}.
  std::pair<std::uint64_t, std::uint64_t> wait_for_ends(std::uint64_t count) const;

 private:
  struct Open {
    std::uint64_t number = 0;
    std::uint64_t requests = 0;
    std::string input;
    bool closed = false;  // by us
  };

  void run();
  void accept_one();
  bool read(int fd, Open& open);                      // false: it has ended
  bool answer(int fd, Open& open, std::string head);  // false: closed by us

  Script script_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  std::map<int, Open> open_;
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  std::vector<Heard> heard_;
  std::uint64_t accepted_ = 0, closed_ = 0, reset_ = 0;
  std::thread thread_;
};

// A port of 127.0.0.1 on which the kernel completes connections that nobody ever accepts: requests
// vanish there. Needs no thread.
class Void {
 public:
  Void();
  ~Void();
  Void(const Void&) = delete;
  Void& operator=(const Void&) = delete;
  Url url() const;

 private:
  std::uint16_t port_ = 0;
  int listener_ = -1;
};

// A port on which nobody listens (bound, so that nobody else takes it).
class Nobody {
 public:
  Nobody();
  ~Nobody();
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;
  Url url() const;

 private:
  std::uint16_t port_ = 0;
  int socket_ = -1;
};

}  // namespace retrystorm::testing_peers
