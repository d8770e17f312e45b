// The service's side as a state machine: workers, a bounded queue, due times. No I/O, no clock, no
// randomness of its own: the live service drives it with the steady clock, the simulation with
// virtual time.
//
// A driver calls advance(now) first, then arrive(now), and asks next_due() when to come back; the
// instants it gives never go backwards. What happened is told to a sink, so that nothing is
// allocated and nothing returned by copy:
//   sink.started(job)    the job holds a worker from job.started on
//   sink.completed(job)  the job's work is done
// A sink that knows requests with a mean work of their own is asked for it: sink.work_of(token), 0
// for none.
// Where a comment says "Requires", builds with assertions hold the driver to it.
#pragma once

#include "core/due_queue.hpp"
#include "core/policy/queue.hpp"
#include "core/policy/work.hpp"
#include "core/reason.hpp"
#include "core/scenario.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace retrystorm {

// An accepted arrival. `token` is the driver's own name for it.
struct Job {
  std::uint64_t token = 0;
  Instant arrived{};
  Instant picked{};   // when the worker really took it
  Instant started{};  // when its work counts from: the due time of the job before it, if that is
                      // later noticed
  Instant due{};      // when its work is done
};

enum class Admission : std::uint8_t { started, queued, refused };

// What became of an arrival at once.
struct Admitted {
  Admission state = Admission::refused;
  Reason reason = Reason::none;  // why refused
};

class Station {
 public:
  Station(const Scenario& scenario, Work work)
      : workers_(static_cast<std::uint32_t>(scenario.service.workers)),
        kind_(scenario.service.work_kind),
        carry_bound_(scenario.service.work),
        work_(std::move(work)),
        queue_(scenario) {}

  // Room for so many jobs in work (as many as there are workers, if there are fewer): within it
  // only arrive() allocates, for a place in the queue, and where that fails the arrival has left no
  // trace.
  void reserve(std::size_t jobs) {
    in_work_.reserve(std::min(jobs, static_cast<std::size_t>(workers_)));
  }

  // Lets everything due by `now` happen: completions in the order of their due times, and the
  // queued jobs they let start. An arrival at `now` comes after it, so a late timer never invents a
  // refusal. Requires: now is not earlier than any instant given before, and not `never`.
  template <typename Sink>
  void advance(Instant now, Sink&& sink) {
    assert(in_order(now) && now != never);
    while (next_due() <= now) {
      const Job job = take_first_due();
      sink.completed(job);
      release_worker(job.due, now, sink);
    }
  }

  // A new arrival at `now`: a free worker takes it, else it waits, else it is refused. Requires:
  // nothing is due by now any more (advance(now) came first), and now is not earlier than any
  // instant given before.
  template <typename Sink>
  Admitted arrive(std::uint64_t token, Instant now, Sink&& sink) {
    assert(in_order(now) && next_due() > now);
    if (busy_ < workers_) {
      start({token, now, now, now, {}}, sink);
      return {Admission::started};
    }
    if (queue_.full()) return {Admission::refused, Reason::queue_full};
    queue_.push({token, now});
    return {Admission::queued};
  }

  // The work itself tells that it is done: the job ends at `now`. Requires: work_kind is spin, the
  // job holds a worker, and now is not earlier than any instant given before.
  template <typename Sink>
  void finished(Job job, Instant now, Sink&& sink) {
    assert(kind_ == WorkKind::spin && busy_ > 0 && in_order(now));
    job.due = now;
    sink.completed(job);
    release_worker(now, now, sink);
  }

  // When to advance next; `never` if nothing is in work.
  Instant next_due() const { return in_work_.next(); }

  std::uint32_t busy() const { return busy_; }
  std::size_t queued() const { return queue_.size(); }
  // When the one that has waited longest arrived; `never` if none waits. Looks at each of them: a
  // millisecond for a million.
  Instant waiting_since() const {
    Instant since = never;
    for (const Waiting& w : queue_) since = std::min(since, w.arrived);
    return since;
  }
  std::size_t in_system() const { return busy_ + queue_.size(); }
  std::uint32_t workers() const { return workers_; }
  std::uint64_t places() const { return queue_.places(); }
  // How many starts had their lateness cut at the bound (one work time): then the ceiling is no
  // longer exact.
  std::uint64_t carry_limited() const { return carry_limited_; }

  // Calls f(token) for each waiting and then f(token) for each job in work: what a cut leaves
  // unfinished.
  template <typename F>
  void for_each_unfinished(F&& f) const {
    for (const Waiting& w : queue_) f(w.token);
    in_work_.for_each([&](const Job& job) { f(job.token); });
  }

  // Calls f(job) for each job in work (but spinning ones: those are their driver's).
  template <typename F>
  void for_each_in_work(F&& f) const {
    in_work_.for_each(f);
  }

 private:
  // For assertions only, which is why it may note the instant.
  bool in_order(Instant now) {
    const bool ok = now >= latest_;
    latest_ = now;
    return ok;
  }

  template <typename Sink>
  Duration drawn_work(std::uint64_t token, Sink& sink) {
    if constexpr (requires { sink.work_of(token); }) {
      return work_.draw(sink.work_of(token));
    } else {
      return work_.draw();
    }
  }

  template <typename Sink>
  void start(Job job, Sink& sink) {
    ++busy_;
    const Duration work = drawn_work(job.token, sink);
    if (kind_ == WorkKind::spin) {
      job.due = job.started + work;  // a wish: finished() will tell
      sink.started(job);
      return;
    }
    job.due = (kind_ == WorkKind::sleep ? job.picked : job.started) + work;
    in_work_.push(job);
    sink.started(job);
  }

  // The worker whose job was due at `freed` takes the next waiting job. In timer mode the job's
  // work counts from `freed` (or its own arrival), not from when we noticed, so lateness does not
  // add up; a stall carries at most one work time over.
  template <typename Sink>
  void release_worker(Instant freed, Instant now, Sink& sink) {
    --busy_;
    if (queue_.empty()) return;
    const Waiting next = queue_.take();
    Instant from = now;
    if (kind_ == WorkKind::timer) {
      from = std::max(freed, next.arrived);
      if (from < now - carry_bound_) {
        from = now - carry_bound_;
        ++carry_limited_;
      }
    }
    start({next.token, next.arrived, now, from, {}}, sink);
  }

  Job take_first_due() {
    const Job job = in_work_.front();
    in_work_.pop();
    return job;
  }

  std::uint32_t workers_;
  WorkKind kind_;
  Duration carry_bound_;
  Work work_;
  std::uint32_t busy_ = 0;
  std::uint64_t carry_limited_ = 0;
  Instant latest_ = Instant::min();  // kept by assertions
  Queue queue_;
  DueQueue<Job> in_work_;
};

}  // namespace retrystorm
