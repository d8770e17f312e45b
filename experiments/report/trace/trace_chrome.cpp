// Trace events. The format: "Trace Event Format" (Google, 2016), JSON object form; times in
// microseconds. Slices of one track must nest, so whatever overlaps is dealt out to lanes.
#include "core/error.hpp"
#include "experiments/report/trace/trace_pictures.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <queue>
#include <set>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

std::string json_quoted(std::string_view text) {
  const std::string shown = printable(text, 1000);
  return boost::json::serialize(boost::json::string_view(shown.data(), shown.size()));
}

std::string micros(std::int64_t ns) {
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns / 1000), std::abs(ns % 1000));
}

// Gives each interval the lowest lane that is free at its start. Starts must not decrease.
class Lanes {
 public:
  std::int64_t take(std::int64_t from, std::int64_t to) {
    while (!busy_.empty() && busy_.top().first <= from) {
      free_.insert(busy_.top().second);
      busy_.pop();
    }
    if (free_.empty()) free_.insert(count_++);
    const std::int64_t lane = *free_.begin();
    free_.erase(free_.begin());
    busy_.emplace(to, lane);
    return lane;
  }
  std::int64_t count() const { return count_; }

 private:
  using Busy = std::pair<std::int64_t, std::int64_t>;  // until, lane
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy_;
  std::set<std::int64_t> free_;
  std::int64_t count_ = 0;
};

// The end of a slice that another one touches, or that lies within one which ends with it: a
// nanosecond early.
std::int64_t inner(std::int64_t from, std::int64_t to) {
  return std::max(from, to - 1);
}

// A slice to be dealt out.
struct Slice {
  std::int64_t from, to;
  std::string text;  // its event without track and times
};

class Events {
 public:
  std::string take() { return text_ + "\n]}\n"; }

  void name_process(int pid, const std::string& process) {
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":0,"name":"process_name","args":{{"name":{}}}}})",
                    pid, json_quoted(process)));
  }
  void name_track(int pid, std::int64_t tid, const std::string& track) {
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})",
                    pid, tid, json_quoted(track)));
    add(fmt::format(
        R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
        pid, tid, tid));
  }
  // `body`: further members, from "name" on. Viewers add `ts` and `dur` as floating numbers, so
  // what only touches would overlap by a rounding error: see `inner`.
  void slice(int pid, std::int64_t tid, std::int64_t from, std::int64_t to, std::string_view body) {
    add(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},{}}})", pid, tid, micros(from),
                    micros(std::max<std::int64_t>(0, to - from)), body));
  }
  void instant(int pid, std::int64_t tid, std::int64_t at, std::string_view body) {
    add(fmt::format(R"({{"ph":"i","s":"t","pid":{},"tid":{},"ts":{},{}}})", pid, tid, micros(at),
                    body));
  }
  void counter(int pid, std::string_view name, std::int64_t at, std::int64_t value) {
    add(fmt::format(R"({{"ph":"C","pid":{},"tid":0,"ts":{},"name":"{}","args":{{"{}":{}}}}})", pid,
                    micros(at), name, name, value));
  }

 private:
  void add(std::string_view event) {
    if (!first_) text_ += ",\n";
    first_ = false;
    text_ += event;
  }

  std::string text_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  bool first_ = true;
};

std::string colour_of(std::string_view outcome) {
  return outcome == name(AttemptOutcome::succeeded)  ? "good"
         : outcome == name(AttemptOutcome::rejected) ? "grey"
                                                     : "terrible";
}

void add_clients(Events& events, int pid, const TracedTry& traced) {
  std::vector<const TracedRequest*> requests;
  for (const TracedRequest& request : traced.requests) requests.push_back(&request);
  std::stable_sort(requests.begin(), requests.end(),
                   [](auto* a, auto* b) { return a->scheduled < b->scheduled; });
  Lanes lanes;
  for (const TracedRequest* request : requests) {
    // The client's side ends where its last attempt does; a late completion is the service's.
    std::int64_t end = std::max(request->scheduled, request->finished.value_or(0));
    for (const TracedAttempt& attempt : request->attempts) {
      end = std::max({end, attempt.sent, attempt.ended.value_or(0)});
    }
    const std::int64_t lane = 1 + lanes.take(request->scheduled, end + 1);
    events.slice(
        pid, lane, request->scheduled, end,
        fmt::format(R"("name":{1},"cat":"request","cname":"{2}",)"
                    R"("args":{{"request":{0},"outcome":{3},"reason":{4}}})",
                    request->request,
                    json_quoted(fmt::format("request {} {}", request->request, request->outcome)),
                    colour_of(request->outcome), json_quoted(request->outcome),
                    json_quoted(request->reason)));
    for (const TracedAttempt& attempt : request->attempts) {
      events.slice(
          pid, lane, attempt.sent, inner(attempt.sent, attempt.ended.value_or(end)),
          fmt::format(R"("name":{1},"cat":"attempt","cname":"{2}",)"
                      R"("args":{{"attempt":{0},"status":{3},"reused":{4}}})",
                      attempt.attempt,
                      json_quoted(fmt::format("attempt {} {}", attempt.attempt, attempt.outcome)),
                      colour_of(attempt.outcome), attempt.status, attempt.reused));
    }
  }
  for (std::int64_t lane = 1; lane <= lanes.count(); ++lane) {
    events.name_track(pid, lane, fmt::format("in flight {}", lane));
  }
}

// Slices dealt out to tracks from `base` on; returns how many tracks that took.
std::int64_t deal_out(Events& events, int pid, std::int64_t base, std::vector<Slice> slices,
                      std::string_view track) {
  std::stable_sort(slices.begin(), slices.end(),
                   [](const Slice& a, const Slice& b) { return a.from < b.from; });
  Lanes lanes;
  for (const Slice& s : slices) {
    events.slice(pid, base + lanes.take(s.from, s.to), s.from, inner(s.from, s.to), s.text);
  }
  for (std::int64_t lane = 0; lane < lanes.count(); ++lane) {
    events.name_track(pid, base + lane, fmt::format("{} {}", track, lane + 1));
  }
  return lanes.count();
}

void add_service(Events& events, int pid, const TracedTry& traced) {
  std::vector<Slice> work;
  std::vector<Slice> waits;
  std::vector<std::pair<std::int64_t, std::int64_t>> queue;  // instant, change
  std::int64_t end = 0;
  for (const TracedRequest& request : traced.requests) end = std::max(end, request.last());
  events.name_track(pid, 1, "refusals");
  for (const TracedRequest& request : traced.requests) {
    for (const TracedAttempt& attempt : request.attempts) {
      if (!attempt.arrival) continue;
      const TracedArrival& a = *attempt.arrival;
      const std::string id = fmt::format("{}-{}", request.request, attempt.attempt);
      if (a.disposition == name(Disposition::refused)) {
        events.instant(pid, 1, a.arrived,
                       fmt::format(R"("name":"refused {}","cat":"refusal","args":{{"reason":{}}})",
                                   id, json_quoted(a.reason)));
      }
      if (a.disposition != name(Disposition::refused) && a.picked != a.arrived) {
        const std::int64_t until = a.picked.value_or(end);
        waits.push_back(
            {a.arrived, until, fmt::format(R"("name":"wait {}","cat":"wait","cname":"grey")", id)});
        queue.emplace_back(a.arrived, 1);
        queue.emplace_back(until, -1);
      }
      if (!a.picked) continue;
      const bool vain = was_abandoned(attempt);
      work.push_back({*a.picked, a.finished.value_or(end),
                      fmt::format(R"("name":"work {} {}","cat":"work","cname":"{}")", id,
                                  vain ? "abandoned" : "taken", vain ? "terrible" : "good")});
    }
  }
  const std::int64_t workers = deal_out(events, pid, 2, std::move(work), "worker");
  deal_out(events, pid, 2 + workers, std::move(waits), "waiting place");
  std::sort(queue.begin(), queue.end());
  std::int64_t waiting = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    waiting += queue[i].second;
    const bool last_of_instant = i + 1 == queue.size() || queue[i + 1].first != queue[i].first;
    if (last_of_instant) events.counter(pid, "queue", queue[i].first, waiting);
  }
}

}  // namespace

std::string trace_events(const std::vector<TracedTry>& tries) {
  Events events;
  int pid = 0;
  for (const TracedTry& traced : tries) {
    const std::string which =
        traced.key.try_number == 0
            ? traced.key.arm
            : fmt::format("{} (try {})", traced.key.arm, traced.key.try_number);
    events.name_process(++pid, "clients of " + which);
    add_clients(events, pid, traced);
    events.name_process(++pid, "service of " + which);
    add_service(events, pid, traced);
  }
  return events.take();
}

}  // namespace retrystorm
