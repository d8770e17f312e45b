// The service's side as a state machine: workers, a bounded queue, due times. No I/O, no clock, no
// randomness of its own: the live service drives it with the steady clock, the simulation with
// virtual time.
//
// A driver calls advance(now) first, then arrive(now), and asks next_due() when to come back; the
// instants it gives never go backwards. What happened is told to a sink, so that nothing is
// allocated and nothing returned by copy:
//   sink.started(job)    the job holds a worker from job.started on
//   sink.completed(job)  the job's work is done
// Where a comment says "Requires", builds with assertions hold the driver to it.
#pragma once

#include "core/lane.hpp"
#include "core/policy/work.hpp"
#include "core/scenario.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

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

class Station {
 public:
  Station(const Scenario& scenario, Work work)
      : workers_(static_cast<std::uint32_t>(scenario.service.workers)),
        places_(static_cast<std::uint64_t>(queue_places(scenario))),
        kind_(scenario.service.work_kind),
        carry_bound_(scenario.service.work),
        constant_(work.constant()),
        work_(std::move(work)) {}

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
  Admission arrive(std::uint64_t token, Instant now, Sink&& sink) {
    assert(in_order(now) && next_due() > now);
    if (busy_ < workers_) {
      start({token, now, now, now, {}}, sink);
      return Admission::started;
    }
    if (queue_.size() >= places_) return Admission::refused;
    queue_.push({token, now});
    return Admission::queued;
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
  Instant next_due() const {
    if (constant_) return in_work_.empty() ? never : in_work_.front().due;
    return by_due_.empty() ? never : by_due_.top().job.due;
  }

  std::uint32_t busy() const { return busy_; }
  std::size_t queued() const { return queue_.size(); }
  std::size_t in_system() const { return busy_ + queue_.size(); }
  std::uint32_t workers() const { return workers_; }
  std::uint64_t places() const { return places_; }
  // How many starts had their lateness cut at the bound (one work time): then the ceiling is no
  // longer exact.
  std::uint64_t carry_limited() const { return carry_limited_; }

  // Calls f(token) for each waiting and then f(token) for each job in work: what a cut leaves
  // unfinished.
  template <typename F>
  void for_each_unfinished(F&& f) const {
    for (const Waiting& w : queue_) f(w.token);
    for (const Job& job : in_work_) f(job.token);
    auto rest = by_due_;
    for (; !rest.empty(); rest.pop()) f(rest.top().job.token);
  }

  // Calls f(job) for each job in work (but spinning ones: those are their driver's).
  template <typename F>
  void for_each_in_work(F&& f) const {
    for (const Job& job : in_work_) f(job);
    auto rest = by_due_;
    for (; !rest.empty(); rest.pop()) f(rest.top().job);
  }

 private:
  struct Waiting {
    std::uint64_t token;
    Instant arrived;
  };
  struct ByDue {
    Job job;
    std::uint64_t order;
    friend bool operator>(const ByDue& a, const ByDue& b) {
      return a.job.due != b.job.due ? a.job.due > b.job.due : a.order > b.order;
    }
  };

  // For assertions only, which is why it may note the instant.
  bool in_order(Instant now) {
    const bool ok = now >= latest_;
    latest_ = now;
    return ok;
  }

  template <typename Sink>
  void start(Job job, Sink& sink) {
    ++busy_;
    const Duration work = work_.draw();
    if (kind_ == WorkKind::spin) {
      job.due = job.started + work;  // a wish: finished() will tell
      sink.started(job);
      return;
    }
    job.due = (kind_ == WorkKind::sleep ? job.picked : job.started) + work;
    if (constant_) {
      in_work_.push(job);
    } else {
      by_due_.push({job, order_++});
    }
    sink.started(job);
  }

  // The worker whose job was due at `freed` takes the next waiting job. In timer mode the job's
  // work counts from `freed` (or its own arrival), not from when we noticed, so lateness does not
  // add up; a stall carries at most one work time over.
  template <typename Sink>
  void release_worker(Instant freed, Instant now, Sink& sink) {
    --busy_;
    if (queue_.empty()) return;
    const Waiting next = queue_.front();
    queue_.pop();
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
    if (constant_) {
      const Job job = in_work_.front();
      in_work_.pop();
      return job;
    }
    const Job job = by_due_.top().job;
    by_due_.pop();
    return job;
  }

  std::uint32_t workers_;
  std::uint64_t places_;
  WorkKind kind_;
  Duration carry_bound_;
  bool constant_;  // constant work: jobs end in the order in which they start, so a lane will do
  Work work_;
  std::uint32_t busy_ = 0;
  std::uint64_t carry_limited_ = 0;
  std::uint64_t order_ = 0;
  Instant latest_ = Instant::min();  // kept by assertions
  Lane<Waiting> queue_;
  Lane<Job> in_work_;
  std::priority_queue<ByDue, std::vector<ByDue>, std::greater<>> by_due_;
};

}  // namespace retrystorm
