#include "service/session.hpp"

#include "core/clocks.hpp"
#include "service/loop.hpp"

#include <cstring>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

namespace retrystorm {

namespace asio = boost::asio;
using boost::system::error_code;

Session::Session(Loop& loop, std::uint32_t slot)
    : loop_(loop), slot_(slot), socket_(loop.context().get_executor()) {}

void Session::start(Descriptor socket) {
  state_ = State::reading;
  keep_ = told_continue_ = verdict_open_ = false;
  begin_ = end_ = 0;
  parser_.emplace(loop_.common().limits.body_bytes);
  error_code error;
  // Nothing that we call asks for the protocol, so IPv4 stands for both.
  socket_.assign(asio::ip::tcp::v4(), socket.get(), error);
  if (error) {
    // No memory for one more; the descriptor closes itself.
    loop_.count().closed.add();
    return loop_.release(slot_);
  }
  socket.release();
  time(Timed::head, steady_now());
  read();
}

void Session::time(Timed what, Instant now) {
  timed_ = what;
  loop_.watch(*this, what, now);
}

// A request has begun to come in.
bool Session::began() const {
  return begin_ != end_ || parser_->got_some();
}

void Session::read() {
  pending_ = true;
  socket_.async_read_some(
      asio::buffer(buffer_.data() + end_, buffer_.size() - end_),
      [this](const error_code& error, std::size_t size) { on_read(error, size); });
}

void Session::on_read(const error_code& error, std::size_t size) {
  pending_ = false;
  if (!socket_.is_open()) {
    // We closed it while this was on its way; the reset it brings is seen nowhere else.
    if (verdict_open_ && error == asio::error::connection_reset) amend();
    loop_.release(slot_);
  } else if (error) {
    left(error);
  } else if (state_ == State::lingering) {
    verdict_open_ = false;
    lingered_ += size;
    lingered_ > loop_.common().limits.linger_bytes ? close() : read();
  } else {
    verdict_open_ = false;  // it goes on talking: it has read the reply before
    end_ += size;
    advance();
  }
  loop_.answer_completed();
}

// Takes one request after another from the buffer, until one has to wait or more bytes are needed.
void Session::advance() {
  for (;;) {
    int status = 0;
    const bool whole = parse(status);
    if (status != 0) return refuse_and_close(Replies::for_status(status));
    if (!whole) break;
    if (!take_request()) return;
  }
  make_room();
  if (began()) {
    const Timed what = parser_->is_header_done() ? Timed::body : Timed::head;
    if (timed_ != what) time(what, steady_now());
  }
  read();
}

// True when a whole request has been read, its body too: no unread byte of it may hide the client's
// end of file later. `status` tells what is wrong with it.
bool Session::parse(int& status) {
  while (!parser_->is_done() && begin_ != end_) {
    const std::size_t size = end_ - begin_;
    const auto fed = parser_->feed(buffer_.data() + begin_, size, size == buffer_.size());
    begin_ += fed.consumed;
    status = fed.status;
    if (status != 0) return false;
    if (fed.need_more) break;
  }
  if (parser_->is_done()) return true;
  if (begin_ == end_ && !told_continue_ && parser_->is_header_done() &&
      parser_->expects_continue()) {
    told_continue_ = true;
    // A client that takes not even these 25 bytes will not send its body either.
    if (send(loop_.common().replies.get(Say::proceed, Then::keep)) != Sent::whole) status = 400;
  }
  return false;
}

// Moves what is unparsed to the front of the buffer.
void Session::make_room() {
  if (begin_ == 0) return;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
}

// True when the next request may be looked at.
bool Session::take_request() {
  keep_ = parser_->keep_alive() && !loop_.draining();
  switch (parser_->ask()) {
    case Ask::work:
      return arrive();
    case Ask::health:
      return conclude(say(Say::healthy), steady_now());
    case Ask::metrics:
      return conclude(say(Say::elsewhere), steady_now());
  }
  return false;
}

}  // namespace retrystorm
