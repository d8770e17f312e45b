#include "loadgen/driver.hpp"

#include "core/clocks.hpp"

#include <algorithm>
#include <cerrno>

#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <sys/socket.h>

namespace retrystorm::loadgen {
namespace {

namespace asio = boost::asio;

// Work of one turn, so that replies and signals are served in between: an attempt costs some system
// calls, an unsent request almost nothing.
constexpr int turn_budget = 4096;
constexpr int cost_of_attempt = 64;
constexpr int cost_of_unsent = 1;

// Something due sooner than this is polled for: to arm a kernel timer that close costs 10 us and
// more on a virtual machine, and it fires late.
constexpr Duration too_near_for_a_timer = std::chrono::microseconds(20);

// At the cap nothing can be sent: requests due meanwhile are counted this often.
constexpr Duration unsent_wake = std::chrono::milliseconds(1);

constexpr Failure reset{true, AttemptOutcome::io_error, Reason::reset};
constexpr Failure early_close{true, AttemptOutcome::io_error, Reason::early_close};
constexpr Failure stale{true, AttemptOutcome::io_error, Reason::stale};

// The error of a connect that was under way: the attempt was made, whatever stopped it.
Failure broken_connect(int error) {
  Failure failure = connect_failure(error);
  if (!failure.made) failure = {true, AttemptOutcome::connect_error, Reason::connect_failed};
  return failure;
}

}  // namespace

Driver::Driver(const DriverPlan& plan, LiveCounts& live)
    : client_(plan.scenario, Arrivals(plan.scenario, plan.share), plan.share, plan.at_cap),
      connections_(io_,
                   {asio::ip::make_address(plan.target.address.host), plan.target.address.port}),
      recorder_(plan.scenario, live, plan.late),
      schedule_end_(instant_at(plan.scenario.client.duration)),
      drain_limit_(plan.scenario.drain_limit),
      spin_(plan.spin),
      trusted_idle_(plan.trusted_idle),
      most_in_flight_(Client::most_in_flight(plan.scenario)) {
  for (std::size_t c = 0; c < class_count(plan.scenario); ++c) {
    classes_.push_back(scenario_of_class(plan.scenario, c).client);
    const bool several = !plan.scenario.classes.empty();
    requests_.emplace_back(plan.target, plan.token,
                           several ? plan.scenario.classes[c].work : std::nullopt);
  }
}

void Driver::run(Instant origin, LedgerFiles files) {
  origin_ = origin;
  recorder_.start(origin, files);
  const auto keep_running = asio::make_work_guard(io_);
  asio::post(io_, [this] { follow_up(); });
  io_.run();
}

void Driver::stop() {
  asio::post(io_, [this] {
    stop_sending();
    follow_up();
  });
}

void Driver::leave() {
  asio::post(io_, [this] {
    stop_sending();
    cut();
  });
}

void Driver::post(std::function<void()> task) {
  asio::post(io_, std::move(task));
}

Instant Driver::now() {
  return latest_ = std::max(latest_, instant_at(steady_now() - origin_));
}

// Takes what is due: timeouts first, then retries, then new requests.
void Driver::turn() {
  take_unsent();
  int budget = turn_budget;
  while (budget > 0) {
    const Instant at = now();
    if (client_.next_timeout() <= at) {
      time_out(client_.timeout(at), at);
      budget -= cost_of_attempt;
    } else if (client_.next_retry() <= at) {
      take(client_.retry(at), at);
      budget -= cost_of_attempt;
    } else if (client_.next_offer() <= at) {
      recorder_.offered(client_.next_offer(), client_.next_class());
      const Step step = client_.offer(at);
      take(step, at);
      budget -= step.send ? cost_of_attempt : cost_of_unsent;
    } else {
      break;
    }
  }
  if (drain_end_ <= now()) return cut();
  follow_up();
}

// At the cap, the requests that came due before the next attempt can end are unsent, whenever the
// loop gets round to them: so it need not wake for each.
void Driver::take_unsent() {
  if (!full()) return;
  const Instant until = std::min(now(), client_.next_timeout());
  for (int budget = turn_budget; budget > 0 && client_.next_offer() <= until; --budget) {
    recorder_.offered(client_.next_offer(), client_.next_class());
    recorder_.ended(client_.offer(until).final, until);
  }
}

// After every handler: retries without delay leave at once, and the timer stands for what is next.
void Driver::follow_up() {
  if (finished_) return;
  for (int budget = turn_budget; budget > 0; budget -= cost_of_attempt) {
    const Instant due = client_.next_retry();
    if (due == never) break;
    const Instant at = now();
    if (due > at) break;
    take(client_.retry(at), at);
  }
  recorder_.in_flight(client_.in_flight());
  if (client_.next_offer() == never) {
    if (client_.open_requests() == 0) return finish();
    // A stage without requests may follow the last one: the schedule ends when it does.
    if (drain_end_ == never) drain_end_ = std::max(now(), schedule_end_) + drain_limit_;
  }
  arm();
}

// Arms the timer for what is due first. Woken too early it only arms again, so a timer that stands
// for something that has gone is left alone.
void Driver::arm() {
  Instant offer = client_.next_offer();
  if (offer != never) offer = full() ? std::max(offer, now() + unsent_wake) : offer - spin_;
  const Instant due = std::min({offer, client_.next_retry(), client_.next_timeout(), drain_end_});
  if (armed_for_ <= due) return;
  armed_for_ = due;
  const std::uint64_t serial = ++timer_serial_;
  const auto woken = [this, serial](const boost::system::error_code&) {
    if (serial != timer_serial_) return;  // armed anew since
    armed_for_ = never;
    turn();
  };
  if (due <= now() + too_near_for_a_timer) {
    asio::post(io_, [woken] { woken({}); });  // replies are read in between
    return;
  }
  timer_.expires_at(on_steady_clock(origin_ + since_start(due)));
  timer_.async_wait(woken);
}

void Driver::take(const Step& step, Instant at) {
  if (step.send) {
    make(step.attempt);
  } else {
    recorder_.ended(step.final, at);
  }
}

void Driver::make(const Outgoing& attempt) {
  // Before a retry always asked: a server that refuses may well close, too.
  const Duration trusted = attempt.attempt == 0 ? trusted_idle_ : Duration::zero();
  Connection* c = connections_.take_idle(attempt.sent, trusted);
  if (c == nullptr) {
    const Connections::Opened opened = connections_.open();
    if (opened.took > Duration::zero()) recorder_.connect_called(opened.took);
    if (opened.connection == nullptr) return fail(attempt, opened.failure);
    c = opened.connection;
  } else {
    c->state = Connection::State::busy;
  }
  recorder_.sent(attempt);
  c->key = attempt.key;
  if (attempt.key.slot >= carriers_.size()) carriers_.resize(attempt.key.slot + 1);
  carriers_[attempt.key.slot] = c;
  write(*c);
}

// No connection was to be had for the attempt.
void Driver::fail(const Outgoing& attempt, const Failure& failure) {
  const Instant at = now();
  if (!failure.made) return recorder_.ended(client_.not_made(attempt.key, failure.reason), at);
  recorder_.sent(attempt);
  end(attempt.key, {failure.outcome, 0, failure.reason, false}, at);
}

void Driver::time_out(AttemptKey key, Instant at) {
  Connection& c = *carriers_[key.slot];
  const bool reused = c.reused;
  connections_.close(c, classes_[client_.class_of(key)].abandon);
  end(key, {AttemptOutcome::timed_out, 0, Reason::none, reused}, at);
}

// Sends what is left of the request; what the socket does not take, or not yet, waits for it.
void Driver::write(Connection& c) {
  const Outgoing attempt = client_.describe(c.key);
  RequestText& text = requests_[client_.class_of(c.key)];
  const int error = connections_.write(c, text.of(attempt.request, attempt.attempt));
  if (error == 0) {
    c.state = Connection::State::busy;
    if (!c.reading) await_input(c);
  } else if (error == EAGAIN || error == EWOULDBLOCK) {
    await_writable(c);
  } else if (c.state == Connection::State::connecting) {
    lost(c, broken_connect(error));
  } else {
    lost(c, c.reused && c.written == 0 ? stale : reset);
  }
}

void Driver::await_writable(Connection& c) {
  ++c.pending;
  c.socket.async_wait(asio::ip::tcp::socket::wait_write,
                      [this, &c, key = c.key](const boost::system::error_code&) {
                        --c.pending;
                        if (connections_.was_closed(c)) return;
                        on_writable(c, key);
                        follow_up();
                      });
}

void Driver::on_writable(Connection& c, AttemptKey key) {
  if (!client_.live(key) || c.key.packed() != key.packed()) return;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(c.socket.native_handle(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0) return write(c);
  lost(c, c.state == Connection::State::connecting ? broken_connect(error) : reset);
}

// A read waits on every open connection, idle ones too: that is how their end is noticed.
void Driver::await_input(Connection& c) {
  ++c.pending;
  c.reading = true;
  const auto room = c.reply.room();
  c.socket.async_read_some(asio::buffer(room.data(), room.size()),
                           [this, &c](const boost::system::error_code& error, std::size_t n) {
                             --c.pending;
                             c.reading = false;
                             if (connections_.was_closed(c)) return;
                             on_input(c, error, n);
                             follow_up();
                           });
}

void Driver::on_input(Connection& c, const boost::system::error_code& error, std::size_t n) {
  if (c.state == Connection::State::idle) return connections_.close(c);  // closed, or unasked bytes
  if (!client_.live(c.key)) return connections_.close(c);
  take_unsent();
  if (error) {
    if (error != asio::error::eof) return lost(c, reset);
    if (c.reply.end() == Reply::State::whole) return replied(c, false);
    return lost(c, Connections::was_stale(c) ? stale : early_close);
  }
  switch (c.reply.take(n)) {
    case Reply::State::more:
      return await_input(c);
    case Reply::State::whole:
      return replied(c, true);
    case Reply::State::bad:
      return lost(c, {true, AttemptOutcome::io_error, c.reply.why()});
  }
}

// A whole reply is there; `open`: the server has not closed.
void Driver::replied(Connection& c, bool open) {
  const Instant at = now();
  const AttemptKey key = c.key;
  const AttemptEnd how{outcome_of(c.reply.status()), static_cast<std::uint16_t>(c.reply.status()),
                       Reason::none, c.reused};
  // Descriptors come before timers in a turn of the loop: a stalled client finds the reply first.
  const Outgoing attempt = client_.describe(key);
  const bool late = at > attempt.sent + classes_[attempt.client_class].timeout;
  if (late && how.outcome == AttemptOutcome::succeeded) recorder_.late_read(attempt);
  const std::optional<Duration> retry_after = c.reply.retry_after();
  if (open && c.reply.keeps_connection()) {
    connections_.keep(c, at);
    await_input(c);
  } else {
    connections_.close(c);
  }
  end(key, how, at, retry_after);
}

// The attempt failed with its connection.
void Driver::lost(Connection& c, const Failure& failure) {
  const Instant at = now();
  const AttemptKey key = c.key;
  const bool reused = c.reused;
  connections_.close(c);
  end(key, {failure.outcome, 0, failure.reason, reused}, at);
}

void Driver::end(AttemptKey key, const AttemptEnd& how, Instant at,
                 std::optional<Duration> retry_after) {
  recorder_.ended(client_.describe(key), how, at);
  const auto final = client_.ended(key, how.outcome, at, {how.status, retry_after});
  if (final) recorder_.ended(*final, at);
}

// Offers nothing more: what has not been offered is planned. Bounded, however far behind a
// saturated loop is.
void Driver::stop_sending() {
  if (finished_ || interrupted_) return;
  interrupted_ = true;
  const Instant at = now();
  client_.stop([&](const Final& final) { recorder_.ended(final, at); });
  drain_end_ = at + drain_limit_;
}

// Leaves what is still in flight.
void Driver::cut() {
  if (finished_) return;
  const Instant at = now();
  client_.cut(
      [&](const Outgoing& attempt) {
        Connection& c = *carriers_[attempt.key.slot];
        recorder_.ended(attempt, {AttemptOutcome::unfinished, 0, Reason::none, c.reused}, at);
        connections_.close(c, classes_[attempt.client_class].abandon);
      },
      [&](const Final& final) { recorder_.ended(final, at); });
  recorder_.in_flight(0);
  finish();
}

void Driver::finish() {
  finished_ = true;
  connections_.close_all(classes_.front().abandon);
  io_.stop();
}

}  // namespace retrystorm::loadgen
