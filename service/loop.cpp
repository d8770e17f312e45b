#include "service/loop.hpp"

#include "core/clocks.hpp"

#include <new>
#include <unordered_map>

#include <boost/asio/post.hpp>

namespace retrystorm {

namespace asio = boost::asio;

Loop::Loop(std::uint32_t index, const Common& common, LedgerFile* ledger)
    : index_(index), common_(common), ledger_(ledger) {
  found_.reserve(1024);
  sweep_later();
}

void Loop::deliver(const Completion& completion) {
  bool first = false;
  {
    const std::lock_guard lock(inbox_mutex_);
    first = inbox_.empty();
    inbox_.push_back(completion);
  }
  if (first) asio::post(context_, [this] { take_inbox(); });
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

void Loop::adopt(Descriptor socket) {
  counters_.opened.add();
  if (free_.empty()) {
    try {
      free_.reserve(sessions_.size() + 1);  // so that a session can always be given back
      sessions_.emplace_back(*this, static_cast<std::uint32_t>(sessions_.size()));
    } catch (const std::bad_alloc&) {
      counters_.closed.add();  // turned away: its descriptor closes itself
      return;
    }
    free_.push_back(static_cast<std::uint32_t>(sessions_.size() - 1));
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  sessions_[slot].start(std::move(socket));
}

void Loop::release(std::uint32_t slot) {
  free_.push_back(slot);
}

SharedStation::Arrived Loop::arrive(std::uint32_t slot, Instant now) {
  const auto arrived = common_.station->arrive({index_, slot}, now, found_);
  if (arrived.admitted.state != Admission::refused) ++waiting_;
  if (arrived.wake != never) set_station_timer(arrived.wake);
  return arrived;
}

void Loop::set_station_timer(Instant at) {
  station_timer_.expires_at(on_steady_clock(at));
  station_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) on_station_timer();
  });
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
  const std::array<Duration, 5> lengths = {limits.head, limits.body, limits.idle, limits.write,
                                           limits.linger};
  session.hook.unlink();
  session.deadline = now + lengths[static_cast<std::size_t>(what)];
  watched_[static_cast<std::size_t>(what)].push_back(session);
}

void Loop::sweep_later() {
  sweep_timer_.expires_after(common_.limits.sweep);
  sweep_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) sweep();
  });
}

void Loop::sweep() {
  const Instant now = steady_now();
  for (Watched& list : watched_) {
    while (!list.empty() && list.front().deadline <= now) {
      Session& session = list.front();
      list.pop_front();
      counters_.timed_out.add();
      session.expire();
    }
  }
  answer_completed();
  sweep_later();
}

void Loop::drain() {
  if (draining_) return;
  draining_ = true;
  for (Session& session : sessions_) {
    if (session.open()) session.close_if_idle();
  }
  answer_completed();
}

void Loop::finish(const std::vector<Job>& in_work) {
  draining_ = drained_ = true;
  // Delivered, but the end came first.
  for (const Completion& completion : inbox_) mine_.push(completion);
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
