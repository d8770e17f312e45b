#include "core/net/scraper.hpp"

#include "core/clocks.hpp"

#include <array>
#include <new>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr Duration patience = std::chrono::seconds(10);  // with a scraper that dawdles
constexpr Duration to_close = std::chrono::seconds(2);   // from the last reply
constexpr std::size_t most_lingered = 1 << 20;           // bytes

}  // namespace

Scraper::Scraper(asio::io_context& context, Common& common) : common_(common), socket_(context) {
  head_.reserve(Replies::longest);
}

void Scraper::start(Descriptor socket) {
  Error error;
  // Nothing that we call asks for the protocol, so IPv4 stands for both.
  socket_.assign(tcp::v4(), socket.get(), error);
  if (error) return;
  socket.release();
  ++common_.open;
  reader_.start(largest_body);
  wait(patience);
  read();
}

void Scraper::wait(Duration length) {
  hook.unlink();
  deadline = steady_now() + length;
  common_.waiting.push_back(*this);
}

void Scraper::expire() {
  if (state_ != State::reading || !reader_.began()) return close();
  // An operation is outstanding, so this goes out at once or not at all.
  Error error;
  const std::string_view late = common_.replies.get(Say::too_slow, Then::close);
  socket_.non_blocking(true, error);
  socket_.write_some(asio::buffer(late.data(), late.size()), error);
  if (error) return close();
  linger();
}

void Scraper::close() {
  if (!socket_.is_open()) return;
  hook.unlink();
  --common_.open;
  Error ignored;
  socket_.close(ignored);
}

void Scraper::read() {
  const auto room = reader_.room();
  socket_.async_read_some(
      asio::buffer(room.data(), room.size()),
      kept_in(memory_, [self = shared_from_this()](const Error& error, std::size_t size) {
        self->on_read(error, size);
      }));
}

void Scraper::on_read(const Error& error, std::size_t size) {
  if (!socket_.is_open()) return;
  if (error) return close();
  if (state_ == State::lingering) {
    lingered_ += size;
    return lingered_ > most_lingered ? close() : read();
  }
  reader_.received(size);
  advance();
}

void Scraper::advance() {
  switch (reader_.read()) {
    case RequestReader::Read::more:
      state_ = State::reading;
      return read();
    case RequestReader::Read::proceed:
      proceeding_ = true;
      head_ = common_.replies.get(Say::proceed, Then::keep);
      body_.clear();
      return write();
    case RequestReader::Read::bad: {
      const Say what = Replies::for_status(reader_.status());
      return refuse(what == Say::bad_method ? Say::read_only : what);
    }
    case RequestReader::Read::whole:
      return answer();
  }
}

void Scraper::answer() {
  const RequestParser& request = reader_.request();
  keep_ = request.keep_alive();
  if (request.ask() == Ask::other) {
    say(Say::not_here);
  } else if (!request.only_reads()) {
    say(Say::read_only);
  } else if (request.ask() == Ask::health) {
    say(Say::healthy);
  } else {
    answer_metrics();
  }
  write();
}

// What cannot be collected for want of memory is said in words that are there already.
void Scraper::answer_metrics() {
  const RequestParser& request = reader_.request();
  try {
    body_ = common_.page();
    // The date stands where it does in the prepared ones: behind the status.
    const std::string_view dated =
        common_.replies.get(Say::healthy, then(keep_, request.http_1_0()));
    head_ = dated.substr(0, dated.find("Content-Type: "));
    head_ += fmt::format(
        "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
        body_.size());
    if (request.head()) body_.clear();
  } catch (const std::bad_alloc&) {
    say(Say::out_of_memory);
  }
}

void Scraper::refuse(Say what) {
  keep_ = false;
  say(what);
  write();
}

// Within what head_ has room for from the beginning.
void Scraper::say(Say what) {
  const RequestParser& request = reader_.request();
  head_ = common_.replies.get(what, then(keep_, request.http_1_0()), request.head());
  body_.clear();
}

void Scraper::write() {
  state_ = State::writing;
  wait(patience);
  const std::array<asio::const_buffer, 2> bytes = {asio::buffer(head_), asio::buffer(body_)};
  asio::async_write(socket_, bytes,
                    kept_in(memory_, [self = shared_from_this()](const Error& error, std::size_t) {
                      self->on_written(error);
                    }));
}

void Scraper::on_written(const Error& error) {
  if (!socket_.is_open()) return;
  if (error) return close();
  if (std::exchange(proceeding_, false)) return advance();
  if (keep_) {
    reader_.next_request(largest_body);
    wait(patience);
    return advance();
  }
  linger();
  read();
}

// Reads away what still comes: a close with unread bytes would reset the connection and could
// destroy the reply on its way.
void Scraper::linger() {
  state_ = State::lingering;
  Error ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  reader_.forget();
  lingered_ = 0;
  wait(to_close);
}

}  // namespace retrystorm
