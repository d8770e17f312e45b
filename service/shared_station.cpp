#include "service/shared_station.hpp"

#include "core/clocks.hpp"
#include "core/error.hpp"
#include "core/start_thread.hpp"

#include <algorithm>
#include <ctime>
#include <new>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr std::int64_t most_spinners = 1024;

Duration thread_cpu_time() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + Duration(t.tv_nsec);
}

}  // namespace

// Told by the Station, under the lock.
struct SharedStation::Sink {
  SharedStation& shared;
  Instant now;
  std::vector<Completion>& completions;

  Duration work_of(std::uint64_t token) const { return shared.work_of(JobToken::unpack(token)); }
  void started(const Job& job) {
    if (shared.spinners_.empty()) return;
    shared.to_spin_.push(job);
    shared.wake_spinner_.notify_one();
  }
  void completed(const Job& job) { completions.push_back({job, now}); }
};

SharedStation::SharedStation(const Scenario& scenario,
                             std::function<void(const Completion&)> deliver)
    : station_(scenario, Work(scenario)), deliver_(std::move(deliver)) {
  // No more jobs than connections, and hardly more of these than the cap.
  station_.reserve(2 * static_cast<std::size_t>(scenario.service.max_connections));
  if (scenario.service.work_kind != WorkKind::spin) return;
  if (scenario.service.workers > most_spinners) {
    throw InvalidInput(command_line, "--workers",
                       fmt::format("spin takes a thread a worker: at most {}", most_spinners));
  }
  const auto workers = static_cast<std::size_t>(scenario.service.workers);
  to_spin_.reserve(workers);
  interrupted_.reserve(workers);
  spinners_.reserve(workers);
  try {
    while (spinners_.size() < workers) {
      spinners_.push_back(start_thread("--work-kind spin", [this] { spin_jobs(); }));
    }
  } catch (...) {
    stop();
    throw;
  }
}

SharedStation::~SharedStation() {
  stop();
}

SharedStation::Arrived SharedStation::arrive(JobToken token, Instant now,
                                             std::vector<Completion>& completed, Duration work) {
  const std::lock_guard lock(mutex_);
  now = last_ = std::max(now, last_);
  Sink sink{*this, now, completed};
  station_.advance(now, sink);
  Admitted admitted{Admission::refused, Reason::resources};
  try {
    note_work(token, work);
    admitted = station_.arrive(token.packed(), now, sink);
  } catch (const std::bad_alloc&) {
    // It has left no trace: see Station::reserve.
  }
  return {admitted, now, due_before_all_timers(token.loop)};
}

void SharedStation::note_work(JobToken token, Duration work) {
  if (work > Duration::zero()) {
    if (work_.size() <= token.loop) work_.resize(token.loop + 1);
    std::vector<Duration>& of_loop = work_[token.loop];
    if (of_loop.size() <= token.slot) of_loop.resize(token.slot + 1);
  }
  if (token.loop < work_.size() && token.slot < work_[token.loop].size()) {
    work_[token.loop][token.slot] = work;
  }
}

Duration SharedStation::work_of(JobToken token) const {
  if (token.loop >= work_.size() || token.slot >= work_[token.loop].size()) return {};
  return work_[token.loop][token.slot];
}

Instant SharedStation::wake_up(std::uint32_t loop, Instant now,
                               std::vector<Completion>& completed) {
  const std::lock_guard lock(mutex_);
  now = last_ = std::max(now, last_);
  if (timer_loop_ == loop) timer_ = never;  // it has fired
  station_.advance(now, Sink{*this, now, completed});
  return due_before_all_timers(loop);
}

Instant SharedStation::due_before_all_timers(std::uint32_t loop) {
  const Instant due = station_.next_due();
  if (due >= timer_) return never;
  timer_ = due;
  timer_loop_ = loop;
  return due;
}

void SharedStation::spin_jobs() {
  std::vector<Completion> completed;
  completed.reserve(1);
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_spinner_.wait(lock, [this] { return stopping_ || !to_spin_.empty(); });
    if (stopping_) return;
    const Job job = to_spin_.front();
    to_spin_.pop();
    lock.unlock();
    spin(job, completed);
    lock.lock();
  }
}

void SharedStation::spin(const Job& job, std::vector<Completion>& completed) {
  const Duration wish = job.due - job.started;
  const Duration from = thread_cpu_time();
  while (thread_cpu_time() - from < wish && !stopping_.load(std::memory_order_relaxed)) {
  }
  completed.clear();
  {
    const std::lock_guard lock(mutex_);
    if (stopping_.load(std::memory_order_relaxed)) {
      interrupted_.push_back(job);
      return;
    }
    const Instant now = last_ = std::max(steady_now(), last_);
    station_.finished(job, now, Sink{*this, now, completed});
  }
  for (const Completion& completion : completed) deliver_(completion);
}

StationView SharedStation::view() const {
  const std::lock_guard lock(mutex_);
  const Instant since = station_.waiting_since();
  return {station_.queued(),
          station_.busy(),
          station_.workers(),
          station_.places(),
          station_.carry_limited(),
          since == never ? Duration{} : std::max(steady_now(), last_) - since};
}

void SharedStation::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_.store(true, std::memory_order_relaxed);
  }
  wake_spinner_.notify_all();
  for (std::thread& spinner : spinners_) spinner.join();
  spinners_.clear();
  for (; !to_spin_.empty(); to_spin_.pop()) interrupted_.push_back(to_spin_.front());
}

std::vector<Job> SharedStation::in_work() const {
  std::vector<Job> jobs = interrupted_;
  station_.for_each_in_work([&](const Job& job) { jobs.push_back(job); });
  return jobs;
}

}  // namespace retrystorm
