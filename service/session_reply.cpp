// The second half of a session: from a whole request to its reply, and to the end of the
// connection.
#include "core/clocks.hpp"
#include "core/net/peer.hpp"
#include "core/reason.hpp"
#include "service/loop.hpp"
#include "service/session.hpp"

#include <algorithm>
#include <cerrno>

#include <boost/asio/write.hpp>
#include <sys/socket.h>

namespace retrystorm {

namespace asio = boost::asio;
using boost::system::error_code;

bool Session::arrive() {
  const AttemptId& id = reader_.request().id();
  row_ = {};
  row_.token = id.token;
  row_.request = id.request;
  row_.attempt = id.attempt;
  const Instant now = steady_now();
  row_.arrived = nanoseconds_of(now);
  row_.disposition = Disposition::refused;
  row_.reason = Reason::draining;
  if (!loop_.draining() && loop_.injects(id)) {
    row_.reason = Reason::injected;
  } else if (!loop_.draining()) {
    const auto arrived = loop_.arrive(slot_, now, reader_.request());
    row_.arrived = nanoseconds_of(arrived.arrived);
    if (arrived.admitted.state != Admission::refused) {
      state_ = State::waiting;
      hook.unlink();  // the service's own time, not the client's
      return false;
    }
    row_.reason = arrived.admitted.reason;
  }
  loop_.count().refused_by[static_cast<std::size_t>(row_.reason)].add();
  const Sent sent = send(loop_.replies().refusal(row_.reason, then(), reader_.request().head()));
  const Instant replied = steady_now();
  if (sent != Sent::failed) row_.replied = nanoseconds_of(replied);
  loop_.record(row_);
  return conclude(sent, replied);
}

void Session::complete(const Completion& completion) {
  loop_.ended_job();
  if (loop_.draining()) keep_ = false;
  const Job& job = completion.job;
  row_.picked = nanoseconds_of(job.picked);
  row_.started = nanoseconds_of(job.started);
  row_.due = nanoseconds_of(job.due);
  row_.finished = nanoseconds_of(completion.finished);
  row_.disposition = Disposition::completed;
  row_.reason = Reason::none;
  const Peer peer = look_at_peer(socket_.native_handle());
  // One that only closed its side may still read: it gets its reply.
  const Sent sent = peer == Peer::reset ? Sent::failed : say(Say::done);
  const bool gone = peer != Peer::there || sent == Sent::failed;
  row_.seen_gone = gone ? SeenGone::at_reply : SeenGone::no;
  const Instant replied = steady_now();
  if (sent != Sent::failed) row_.replied = nanoseconds_of(replied);
  verdict_open_ = !gone && reader_.used_up();
  count_completed(completion, gone);
  loop_.record(row_);
  if (conclude(sent, replied)) advance();
}

void Session::count_completed(const Completion& completion, bool gone) {
  ServiceCounts& count = loop_.count();
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

Then Session::then() const {
  return retrystorm::then(keep_, reader_.request().http_1_0());
}

Session::Sent Session::say(Say what) {
  return send(loop_.replies().get(what, then(), reader_.request().head()));
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
  std::copy(rest_.begin(), rest_.end(), late_.begin());
  asio::async_write(
      socket_, asio::buffer(late_.data(), rest_.size()),
      kept_in(memory_, [this](const error_code& error, std::size_t) { on_written(error); }));
  return false;
}

void Session::on_written(const error_code& error) {
  pending_ = false;
  loop_.ended_reply();
  if (!socket_.is_open()) {
    loop_.release(slot_);
  } else if (error) {
    left(error);
  } else if (after_reply(steady_now())) {
    advance();
  }
  loop_.answer_completed();
}

bool Session::after_reply(Instant now) {
  if (!keep_) {
    linger(now);
    return false;
  }
  state_ = State::reading;
  reader_.next_request(loop_.common().limits.body_bytes);
  time(Timed::idle, now);
  return true;
}

void Session::refuse_and_close(Say what) {
  if (guest_) return close();
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
  reader_.forget();
  lingered_ = 0;
  time(Timed::linger, now);
  if (!pending_) read();
}

void Session::expire() {
  if (unheard_) return close();
  // Once: it may be told, and then dawdle again over the close.
  if (!timed_out_) loop_.count().timed_out.add();
  timed_out_ = true;
  if (state_ == State::reading && reader_.began()) {
    loop_.count().bad_requests.add();
    keep_ = false;
    if (say(Say::too_slow) == Sent::whole) return linger(steady_now());
  } else {
    look_once_more();
  }
  close();
}

void Session::close_if_idle() {
  if (state_ != State::reading || reader_.began()) return;
  look_once_more();
  close();
}

void Session::finish(const Job* job) {
  if (state_ == State::waiting) {
    row_.disposition = Disposition::unfinished;
    row_.reason = Reason::none;
    if (job) {
      row_.picked = nanoseconds_of(job->picked);
      row_.started = nanoseconds_of(job->started);
      row_.due = nanoseconds_of(job->due);
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
  if (!verdict_open_ || look_at_peer(socket_.native_handle()) != Peer::reset) return;
  amend();
}

// The client has ended the connection. If its close crossed our reply on the way, an end of file
// came first, and the reset that the reply met stands behind it.
void Session::left(const error_code& error) {
  const bool reset = error == asio::error::connection_reset || error == asio::error::broken_pipe;
  if (reset && verdict_open_) {
    amend();
  } else {
    look_once_more();
  }
  close();
}

void Session::amend() {
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
  if (guest_) loop_.guest_left(slot_);
  if (unheard_) {
    ServiceCounts& count = loop_.count();
    (loop_.common().short_of_resources ? count.turned_away : count.over_cap).add();
  }
  unheard_ = false;
  loop_.count().closed.add();
  if (!pending_) loop_.release(slot_);
}

}  // namespace retrystorm
