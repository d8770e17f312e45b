#include "service/loop.hpp"

#include "core/clocks.hpp"

#include <new>
#include <unordered_map>
#include <utility>

#include <boost/asio/post.hpp>

namespace retrystorm {

namespace asio = boost::asio;

Loop::Loop(std::uint32_t index, const Common& common, LedgerFile* ledger)
    : index_(index),
      common_(common),
      ledger_(ledger),
      replies_(wall_second(), common.retry_after, common.fail_status) {
  guests_.reserve(common.limits.guests + 1);
  sweep_later();
  // Once for nothing: then the context has room for this timer, too, whatever memory is left.
  station_timer_.expires_after(std::chrono::hours(1));
  station_timer_.async_wait([](const boost::system::error_code&) {});
}

void Loop::run() {
  for (;;) {
    try {
      context_.run();
      return;
    } catch (const std::bad_alloc&) {
      // Of a task that another thread or a timer brought: the sweep does what it was to do.
      answering_ = false;
      station_overdue_ = true;
    }
  }
}

void Loop::deliver(const Completion& completion) {
  bool first = false;
  {
    const std::lock_guard lock(inbox_mutex_);
    first = inbox_.empty();
    inbox_.push_back(completion);
  }
  if (!first) return;
  try {
    asio::post(context_, [this] { take_inbox(); });
  } catch (const std::bad_alloc&) {
    // The sweep takes it.
  }
}

void Loop::ask_to_drain() {
  asked_to_drain_ = true;
  try {
    asio::post(context_, [this] { drain(); });
  } catch (const std::bad_alloc&) {
    // The sweep does it.
  }
}

void Loop::take_inbox() {
  {
    const std::lock_guard lock(inbox_mutex_);
    std::swap(inbox_, taken_);
  }
  for (const Completion& completion : taken_) mine_.push(completion);
  taken_.clear();
  answer_completed();
}

// The newest is turned away where there is no memory for it: its descriptor closes itself.
void Loop::adopt(Descriptor socket, Place place) {
  if (place == Place::guest && guests_.size() >= common_.limits.guests) {
    sessions_[guests_.front()].give_way();
  }
  counters_.opened.add();
  try {
    if (free_.empty()) add_session();
    sessions_[free_.back()].start(std::move(socket), place);
    free_.pop_back();
  } catch (const std::bad_alloc&) {
    counters_.turned_away.add();
    counters_.closed.add();
  }
}

// With all that its connections will need: room to be given back, for its completion wherever that
// may stand, and for the handler that it waits with.
void Loop::add_session() {
  const std::size_t all = sessions_.size() + 1;
  // (To twice as much, so that the cost of growing stays small.)
  if (all > free_.capacity()) free_.reserve(2 * all);
  mine_.reserve(free_.capacity());
  if (all > taken_.capacity()) taken_.reserve(2 * all);
  {
    const std::lock_guard lock(inbox_mutex_);
    if (all > inbox_.capacity()) inbox_.reserve(2 * all);
  }
  if (session_memory_.size() < all) session_memory_.emplace_back();
  sessions_.emplace_back(*this, static_cast<std::uint32_t>(all - 1), session_memory_[all - 1]);
  free_.push_back(static_cast<std::uint32_t>(all - 1));
}

void Loop::release(std::uint32_t slot) {
  free_.push_back(slot);
}

bool Loop::injects(const AttemptId& id) const {
  const Injection& injection = common_.injection;
  if (!injection.on()) return false;
  if (id.token != 0) return injection.fails(id.request, id.attempt);
  return injection.fails_stranger(common_.strangers->fetch_add(1, std::memory_order_relaxed));
}

SharedStation::Arrived Loop::arrive(std::uint32_t slot, Instant now, const RequestParser& request) {
  // Only its own run may say how long work takes.
  const bool of_run = common_.token != 0 && request.id().token == common_.token;
  const auto arrived = common_.station->arrive({index_, slot}, now, found_,
                                               of_run ? request.work() : Duration::zero());
  if (arrived.admitted.state != Admission::refused) ++waiting_;
  if (arrived.wake != never) set_station_timer(arrived.wake);
  return arrived;
}

void Loop::set_station_timer(Instant at) {
  try {
    station_timer_.expires_at(on_steady_clock(at));
    station_timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) on_station_timer();
    });
  } catch (const std::bad_alloc&) {
    station_overdue_ = true;  // the sweep looks
  }
}

void Loop::on_station_timer() {
  const Instant wake = common_.station->wake_up(index_, steady_now(), found_);
  if (wake != never) set_station_timer(wake);
  answer_completed();
}

// Sorts what was found completed: ours to mine_, the others' to their loops.
void Loop::route() {
  for (const Completion& completion : found_) {
    if (JobToken::unpack(completion.job.token).loop == index_) {
      mine_.push(completion);
    } else {
      common_.deliver(completion);
    }
  }
  found_.clear();
}

void Loop::answer_completed() {
  if (answering_) return;  // the turn that is at it goes on until nothing is left
  answering_ = true;
  for (route(); !mine_.empty(); route()) {
    const Completion completion = mine_.front();
    mine_.pop();
    sessions_[JobToken::unpack(completion.job.token).slot].complete(completion);
  }
  answering_ = false;
  if (draining_ && !drained_ && waiting_ == 0 && replying_ == 0) {
    drained_ = true;
    common_.drained();
  }
}

void Loop::watch(Session& session, Timed what, Instant now) {
  const ConnectionLimits& limits = common_.limits;
  const std::array<Duration, 6> lengths = {limits.head,  limits.body,   limits.idle,
                                           limits.write, limits.linger, limits.guest};
  session.hook.unlink();
  session.deadline = now + lengths[static_cast<std::size_t>(what)];
  watched_[static_cast<std::size_t>(what)].push_back(session);
}

void Loop::sweep_later() {
  sweep_timer_.expires_after(common_.limits.sweep);
  sweep_timer_.async_wait(kept_in(sweep_memory_, [this](const boost::system::error_code& error) {
    if (!error) sweep();
  }));
}

void Loop::sweep() {
  replies_.set_date(wall_second());
  const Instant now = steady_now();
  for (Watched& list : watched_) {
    while (!list.empty() && list.front().deadline <= now) {
      Session& session = list.front();
      list.pop_front();
      session.expire();
    }
  }
  take_inbox();
  if (std::exchange(station_overdue_, false)) on_station_timer();
  if (asked_to_drain_) drain();
  sweep_later();
}

void Loop::drain() {
  if (draining_) return;
  draining_ = true;
  if (index_ == 0) common_.draining();
  for (Session& session : sessions_) {
    if (session.open()) session.close_if_idle();
  }
  answer_completed();
}

void Loop::finish(const std::vector<Job>& in_work) {
  draining_ = drained_ = true;
  // Delivered, but the end came first.
  for (const Completion& completion : inbox_) mine_.push(completion);
  inbox_.clear();
  answer_completed();
  std::unordered_map<std::uint32_t, const Job*> jobs;
  for (const Job& job : in_work) {
    const JobToken token = JobToken::unpack(job.token);
    if (token.loop == index_) jobs[token.slot] = &job;
  }
  for (std::uint32_t slot = 0; slot < sessions_.size(); ++slot) {
    const auto found = jobs.find(slot);
    if (sessions_[slot].open())
      sessions_[slot].finish(found == jobs.end() ? nullptr : found->second);
  }
}

}  // namespace retrystorm
