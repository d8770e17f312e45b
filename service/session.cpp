#include "service/session.hpp"

#include "core/net/peer.hpp"
#include "service/loop.hpp"

#include <cerrno>
#include <cstring>

#include <boost/asio/write.hpp>
#include <sys/socket.h>

namespace retrystorm {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

bool is_reset(const error_code& error) {
  return error == asio::error::connection_reset || error == asio::error::broken_pipe;
}

}  // namespace

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
    loop_.release(slot_);
  } else if (error) {
    left(is_reset(error));
  } else if (state_ == State::lingering) {
    verdict_open_ = false;
    lingered_ += size;
    lingered_ > loop_.common().limits.linger_bytes ? close() : read();
  } else {
    verdict_open_ = false;  // it goes on talking: it has read the reply before
    end_ += size;
    advance();
  }
  loop_.settle_up();
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

bool Session::arrive() {
  const AttemptId& id = parser_->id();
  row_ = {};
  row_.token = id.token;
  row_.request = id.request;
  row_.attempt = id.attempt;
  const Instant now = steady_now();
  row_.arrived = now.count();
  row_.disposition = Disposition::refused;
  row_.reason = Reason::draining;
  if (!loop_.draining()) {
    const auto arrived = loop_.arrive(slot_, now);
    row_.arrived = arrived.arrived.count();
    if (arrived.admission != Admission::refused) {
      state_ = State::waiting;
      hook.unlink();  // the service's own time, not the client's
      return false;
    }
    row_.reason = Reason::queue_full;
  }
  const bool full = row_.reason == Reason::queue_full;
  (full ? loop_.count().refused_full : loop_.count().refused_draining).add();
  const Sent sent = say(full ? Say::queue_full : Say::draining);
  const Instant replied = steady_now();
  if (sent != Sent::failed) row_.replied = replied.count();
  loop_.record(row_);
  return conclude(sent, replied);
}

void Session::complete(const Completion& completion) {
  loop_.ended_job();
  if (loop_.draining()) keep_ = false;
  const Job& job = completion.job;
  row_.picked = job.picked.count();
  row_.started = job.started.count();
  row_.due = job.due.count();
  row_.finished = completion.finished.count();
  row_.disposition = Disposition::completed;
  row_.reason = Reason::none;
  const Peer peer = look_at_peer(socket_.native_handle());
  // One that only closed its side may still read: it gets its reply.
  const Sent sent = peer == Peer::reset ? Sent::failed : say(Say::done);
  const bool gone = peer != Peer::there || sent == Sent::failed;
  row_.seen_gone = gone ? SeenGone::at_reply : SeenGone::no;
  const Instant replied = steady_now();
  if (sent != Sent::failed) row_.replied = replied.count();
  verdict_open_ = !gone && begin_ == end_;
  count_completed(completion, gone);
  loop_.record(row_);
  if (conclude(sent, replied)) advance();
}

void Session::count_completed(const Completion& completion, bool gone) {
  LoopCounters& count = loop_.count();
  const ServiceBuckets& buckets = loop_.common().buckets;
  const Job& job = completion.job;
  const Duration occupied = completion.finished - job.picked;
  if (gone) count.abandoned_seen.add();
  (gone ? count.abandoned_ns : count.useful_ns).add(static_cast<std::uint64_t>(occupied.count()));
  count.work.add(buckets.work, occupied);
  count.queue_wait.add(buckets.latency, job.picked - job.arrived);
  count.sojourn.add(buckets.latency, completion.finished - job.arrived);
  count.completed.add();  // last: who sees it sees the others
}

Session::Sent Session::say(Say what) {
  const Then then = !keep_ ? Then::close : parser_->http_1_0() ? Then::keep_1_0 : Then::keep;
  return send(loop_.common().replies.get(what, then, parser_->head()));
}

// Sends from here, without going through the loop; what does not go out at once is left in rest_.
Session::Sent Session::send(std::string_view bytes) {
  ssize_t n = 0;
  do {
    n = ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return Sent::failed;
  rest_ = bytes.substr(n < 0 ? 0 : static_cast<std::size_t>(n));
  return rest_.empty() ? Sent::whole : Sent::later;
}

// Goes on after a reply was sent; true when the next request may be looked at.
bool Session::conclude(Sent sent, Instant now) {
  switch (sent) {
    case Sent::whole:
      return after_reply(now);
    case Sent::failed:
      close();
      return false;
    case Sent::later:
      break;
  }
  state_ = State::writing;
  pending_ = true;
  loop_.began_reply();
  time(Timed::write, now);
  asio::async_write(socket_, asio::buffer(rest_.data(), rest_.size()),
                    [this](const error_code& error, std::size_t) { on_written(error); });
  return false;
}

void Session::on_written(const error_code& error) {
  pending_ = false;
  loop_.ended_reply();
  if (!socket_.is_open()) {
    loop_.release(slot_);
  } else if (error) {
    left(is_reset(error));
  } else if (after_reply(steady_now())) {
    advance();
  }
  loop_.settle_up();
}

bool Session::after_reply(Instant now) {
  if (!keep_) {
    linger(now);
    return false;
  }
  state_ = State::reading;
  parser_.emplace(loop_.common().limits.body_bytes);
  told_continue_ = false;
  time(Timed::idle, now);
  return true;
}

void Session::refuse_and_close(Say what) {
  loop_.count().bad_requests.add();
  keep_ = false;
  conclude(say(what), steady_now());
}

// Closing with unread bytes would reset the connection and could destroy the reply on its way, so
// we end our side, and read away what still comes until the client ends its own.
void Session::linger(Instant now) {
  state_ = State::lingering;
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  begin_ = end_ = lingered_ = 0;
  time(Timed::linger, now);
  if (!pending_) read();
}

void Session::expire() {
  if (state_ == State::reading && began()) {
    loop_.count().bad_requests.add();
    keep_ = false;
    if (say(Say::too_slow) == Sent::whole) return linger(steady_now());
  } else {
    look_once_more();
  }
  close();
}

void Session::close_if_idle() {
  if (state_ != State::reading || began()) return;
  look_once_more();
  close();
}

void Session::finish(const Job* job) {
  if (state_ == State::waiting) {
    row_.disposition = Disposition::unfinished;
    row_.reason = Reason::none;
    if (job) {
      row_.picked = job->picked.count();
      row_.started = job->started.count();
      row_.due = job->due.count();
    }
    loop_.count().unfinished.add();
    loop_.record(row_);
  } else {
    look_once_more();
  }
  close();
}

// The last chance to learn that the client had left before it read our reply.
void Session::look_once_more() {
  if (verdict_open_) amend_if(look_at_peer(socket_.native_handle()) == Peer::reset);
}

void Session::left(bool reset) {
  amend_if(reset);
  close();
}

void Session::amend_if(bool reset) {
  if (!verdict_open_ || !reset) return;
  verdict_open_ = false;
  row_.seen_gone = SeenGone::later;
  row_.amends = 1;
  loop_.count().seen_later.add();
  loop_.record(row_);
}

void Session::close() {
  hook.unlink();
  error_code ignored;
  socket_.close(ignored);
  loop_.count().closed.add();
  if (!pending_) loop_.release(slot_);
}

}  // namespace retrystorm
