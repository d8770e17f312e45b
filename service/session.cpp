#include "service/session.hpp"

#include "core/clocks.hpp"
#include "service/loop.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

namespace retrystorm {

namespace asio = boost::asio;
using boost::system::error_code;

Session::Session(Loop& loop, std::uint32_t slot, HandlerMemory& memory)
    : loop_(loop), slot_(slot), memory_(memory), socket_(loop.context().get_executor()) {}

void Session::start(Descriptor socket, Place place) {
  state_ = State::reading;
  keep_ = verdict_open_ = timed_out_ = false;
  guest_ = unheard_ = place == Place::guest;
  reader_.start(loop_.common().limits.body_bytes);
  error_code error;
  // Nothing that we call asks for the protocol, so IPv4 stands for both.
  socket_.assign(asio::ip::tcp::v4(), socket.get(), error);
  if (error) throw std::bad_alloc();  // the kernel has none for one more
  socket.release();
  if (guest_) loop_.guest_came(slot_);
  time(guest_ ? Timed::guest : Timed::head, steady_now());
  read();
}

void Session::time(Timed what, Instant now) {
  timed_ = what;
  loop_.watch(*this, what, now);
}

void Session::read() {
  pending_ = true;
  const auto room = reader_.room();
  socket_.async_read_some(asio::buffer(room.data(), room.size()),
                          kept_in(memory_, [this](const error_code& error, std::size_t size) {
                            on_read(error, size);
                          }));
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
    reader_.received(size);
    advance();
  }
  loop_.answer_completed();
}

// Takes one request after another from the buffer, until one has to wait or more bytes are needed.
void Session::advance() {
  for (;;) {
    switch (reader_.read()) {
      case RequestReader::Read::whole:
        if (!take_request()) return;
        continue;
      case RequestReader::Read::proceed:
        // A client that takes not even these 25 bytes will not send its body either.
        if (send(loop_.replies().get(Say::proceed, Then::keep)) == Sent::whole) continue;
        return refuse_and_close(Say::malformed);
      case RequestReader::Read::bad:
        return refuse_and_close(Replies::for_status(reader_.status()));
      case RequestReader::Read::more:
        break;
    }
    break;
  }
  if (reader_.began() && !guest_) {
    const Timed what = reader_.in_body() ? Timed::body : Timed::head;
    if (timed_ != what) time(what, steady_now());
  }
  read();
}

// True when the next request may be looked at.
bool Session::take_request() {
  const RequestParser& request = reader_.request();
  keep_ = request.keep_alive() && !loop_.draining() && !guest_;
  if (request.ask() == Ask::other) {
    if (!guest_) return arrive();
    close();
    return false;
  }
  unheard_ = false;
  const Say what = request.ask() == Ask::metrics ? Say::elsewhere
                   : request.only_reads()        ? Say::healthy
                                                 : Say::read_only;
  return conclude(say(what), steady_now());
}

}  // namespace retrystorm
