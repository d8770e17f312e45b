// One connection of the metrics endpoint: reads requests, answers /metrics and /healthz. It lives
// as long as it waits for something, on the endpoint's thread.
#pragma once

#include "core/net/descriptor.hpp"
#include "core/net/handler_memory.hpp"
#include "core/net/replies.hpp"
#include "core/net/request_reader.hpp"
#include "core/units.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/intrusive/list.hpp>

namespace retrystorm {

class Scraper : public std::enable_shared_from_this<Scraper> {
 public:
  using Hook = boost::intrusive::list_member_hook<
      boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  Hook hook;
  Instant deadline{};
  using Waiting =
      boost::intrusive::list<Scraper, boost::intrusive::member_hook<Scraper, Hook, &Scraper::hook>,
                             boost::intrusive::constant_time_size<false>>;

  // What all scrapers of an endpoint share.
  struct Common {
    const Replies& replies;
    std::function<std::string()> page;  // what /metrics answers
    Waiting waiting;                    // the open ones; the one that has waited longest first
    std::size_t open = 0;
  };

  Scraper(boost::asio::io_context& context, Common& common);
  ~Scraper() { close(); }
  Scraper(const Scraper&) = delete;
  Scraper& operator=(const Scraper&) = delete;

  void start(Descriptor socket);
  // Says so where a request has begun, and closes.
  void expire();
  void close();

 private:
  enum class State : std::uint8_t { reading, writing, lingering };
  using Error = boost::system::error_code;

  void wait(Duration patience);
  void read();
  void on_read(const Error& error, std::size_t size);
  void advance();
  void answer();
  void answer_metrics();
  void refuse(Say what);
  void say(Say what);
  void write();
  void on_written(const Error& error);
  void linger();

  Common& common_;
  boost::asio::ip::tcp::socket socket_;
  State state_ = State::reading;
  bool keep_ = false;
  bool proceeding_ = false;  // what is written is "100 Continue"
  std::size_t lingered_ = 0;
  RequestReader reader_;
  std::string head_;  // of the reply that is written, or all of it
  std::string body_;
  HandlerMemory memory_;
};

}  // namespace retrystorm
