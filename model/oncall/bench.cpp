#include "model/oncall/bench.hpp"

#include "core/random.hpp"
#include "model/capacity/ttl_cache.hpp"
#include "model/oncall/random.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <queue>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace retrystorm::oncall {
namespace {

constexpr double minute_s = 60;

struct Request {
  double arrived = 0;
  double started = 0;
  std::size_t object = 0;
  int queries = 0;  // still to be made
  bool measured = false;
};

constexpr std::size_t warm_up_job = static_cast<std::size_t>(-1);

// A query at the database: whose, and since when.
struct Query {
  std::size_t request;
  double sent;
};

enum class What : std::uint8_t { arrival, warm_up_query, query_done, request_done };
struct Event {
  double at;
  std::uint64_t order;
  What what;
  Query query;  // its request alone for request_done
  friend bool operator>(const Event& a, const Event& b) {
    return a.at != b.at ? a.at > b.at : a.order > b.order;
  }
};

// The integral of a number over the measured minute.
class Busy {
 public:
  Busy(double from, double until) : from_(from), until_(until) {}
  void set(double now, int number) {
    sum_ += number_ * std::max(0.0, std::min(now, until_) - std::max(since_, from_));
    since_ = now;
    number_ = number;
  }
  double mean() const { return sum_ / (until_ - from_); }

 private:
  double from_, until_;
  double since_ = 0;
  double number_ = 0;
  double sum_ = 0;
};

class World {
 public:
  World(const BenchCase& bench, std::uint64_t seed)
      : bench_(bench),
        c_(bench.constants),
        now_is_(bench.before),
        starts_(bench.lead_s),
        ends_(bench.lead_s + minute_s),
        workers_(static_cast<int>(bench.during.serving * c_.workers_per_instance)),
        servers_(std::max(1L, std::lround(c_.database_limit * c_.query_time))),
        arrivals_(seed, Stream::arrivals),
        work_(seed, Stream::work),
        cache_random_(seed, Stream::noise),
        busy_workers_(starts_, ends_),
        busy_servers_(starts_, ends_),
        expires_(objects_of(bench), 0.0) {}

  BenchMinute run() {
    fill_cache();
    schedule_arrival(0);
    if (now_is_.warm_up) schedule_warm_up_query(0);
    bool begun = false;
    while (!(begun && now_ >= ends_ && unresolved_ == 0)) {
      const Event event = events_.top();
      if (!begun && event.at >= starts_) {
        begin();
        begun = true;
        continue;
      }
      events_.pop();
      if (++handled_ > bench_.most_events) refuse(bench_.most_events);
      now_ = event.at;
      handle(event);
    }
    return result();
  }

 private:
  [[noreturn]] static void refuse(std::int64_t most) {
    throw std::length_error(
        fmt::format("a simulated minute has more than {} events or objects", most));
  }
  static std::size_t objects_of(const BenchCase& bench) {
    const double objects = bench.constants.hot_objects;
    if (objects > static_cast<double>(bench.most_events)) refuse(bench.most_events);
    return static_cast<std::size_t>(std::lround(objects));
  }
  static double served_per_s(const Conditions& on) {
    return on.requests_per_s * (1 - on.shed_share);
  }

  // Each object as a renewal process finds it: there with the hit ratio, its age uniform.
  void fill_cache() {
    const double rate = served_per_s(now_is_) / c_.hot_objects;
    const double there = now_is_.warm * capacity::ttl_hit_ratio(rate, now_is_.ttl);
    for (double& expires : expires_) {
      if (cache_random_.uniform() < there) expires = uniform(cache_random_, 0, now_is_.ttl);
    }
  }

  // The measured minute begins: what changes, changes now.
  void begin() {
    now_is_ = bench_.during;
    for (double& expires : expires_) {
      if (cache_random_.uniform() >= now_is_.warm) expires = 0;
    }
    if (now_is_.warm_up && !bench_.before.warm_up) schedule_warm_up_query(starts_);
  }

  void push(double at, What what, Query query = {warm_up_job, 0}) {
    events_.push({at, order_++, what, query});
  }
  void schedule_arrival(double from) {
    push(from + exponential(arrivals_, 1 / served_per_s(now_is_)), What::arrival);
  }
  void schedule_warm_up_query(double from) {
    push(from + exponential(arrivals_, 1 / c_.warm_up_queries), What::warm_up_query);
  }

  void handle(const Event& event) {
    switch (event.what) {
      case What::arrival:
        arrive();
        schedule_arrival(now_);
        break;
      case What::warm_up_query:
        send_query({warm_up_job, now_});
        if (now_is_.warm_up) schedule_warm_up_query(now_);
        break;
      case What::query_done:
        finish_query(event.query);
        break;
      case What::request_done:
        finish_request(event.query.request);
        break;
    }
  }

  void arrive() {
    Request request;
    request.arrived = now_;
    request.object =
        static_cast<std::size_t>(work_.uniform() * static_cast<double>(expires_.size()));
    request.measured = now_ >= starts_ && now_ < ends_;
    if (request.measured) {
      ++unresolved_;
      ++measured_;
    }
    requests_.push_back(request);
    if (busy_ < workers_) {
      start(requests_.size() - 1);
    } else {
      waiting_.push_back(requests_.size() - 1);
    }
  }

  void start(std::size_t index) {
    busy_workers_.set(now_, ++busy_);
    Request& request = requests_[index];
    request.started = now_;
    if (request.measured) note_wait(now_ - request.arrived);
    const bool hit = expires_[request.object] > now_;
    if (request.measured) ++lookups_;
    if (request.measured && hit) ++hits_;
    if (hit) {
      begin_work(index);
      return;
    }
    const bool heavy = work_.uniform() < now_is_.recommendations;
    const double queries = c_.queries + (heavy ? c_.heavy_queries : 0);
    request.queries = static_cast<int>(queries);
    // 2.5 queries are two or three.
    if (queries > request.queries && work_.uniform() < queries - request.queries) ++request.queries;
    if (request.queries == 0) {
      begin_work(index);
    } else {
      send_query({index, now_});
    }
  }

  void begin_work(std::size_t index) {
    const double mean = (c_.app_time + c_.heavy_app_time * now_is_.recommendations) *
                        (1 + (c_.bad_cpu - 1) * now_is_.bad_share);
    push(now_ + exponential(work_, mean), What::request_done, {index, now_});
  }

  void send_query(Query query) {
    if (busy_queries_ < servers_) {
      serve_query(query);
    } else {
      waiting_queries_.push_back(query);
    }
  }
  void serve_query(Query query) {
    busy_servers_.set(now_, ++busy_queries_);
    push(now_ + exponential(work_, c_.query_time), What::query_done, query);
  }

  void finish_query(Query query) {
    busy_servers_.set(now_, --busy_queries_);
    if (!waiting_queries_.empty()) {
      const Query next = waiting_queries_.front();
      waiting_queries_.pop_front();
      serve_query(next);
    }
    if (query.request == warm_up_job) {
      refresh_one();
      return;
    }
    Request& request = requests_[query.request];
    if (request.measured) {
      query_time_ += now_ - query.sent;
      ++queries_;
    }
    if (--request.queries > 0) {
      send_query({query.request, now_});
    } else {
      expires_[request.object] = now_ + now_is_.ttl;
      begin_work(query.request);
    }
  }

  // The warm-up job goes through the objects in turn, in as many queries for each as its published
  // share and rate come to.
  void refresh_one() {
    const double per_query =
        c_.warm_up_share * static_cast<double>(expires_.size()) / (minute_s * c_.warm_up_queries);
    for (refreshed_ += per_query; refreshed_ >= 1; --refreshed_) {
      expires_[next_refresh_] = now_ + now_is_.ttl;
      next_refresh_ = (next_refresh_ + 1) % expires_.size();
    }
  }

  void finish_request(std::size_t index) {
    busy_workers_.set(now_, --busy_);
    const Request& request = requests_[index];
    if (request.measured) {
      service_time_ += now_ - request.started;
      ++served_;
      resolve(now_ - request.arrived);
    }
    while (!waiting_.empty() && busy_ < workers_) {
      const std::size_t next = waiting_.front();
      waiting_.pop_front();
      if (!bench_.dead_work && now_ - requests_[next].arrived > c_.timeout) {
        leave(next);
      } else {
        start(next);
      }
    }
  }

  // The client left, and its request with it.
  void leave(std::size_t index) {
    if (!requests_[index].measured) return;
    note_wait(now_ - requests_[index].arrived);
    resolve(c_.timeout);
  }
  void note_wait(double wait) {
    if (wait > 0) ++waited_;
    if (wait > c_.timeout) ++timed_out_;
    wait_ += std::min(wait, c_.timeout);
  }
  void resolve(double sojourn) {
    sojourns_.push_back(std::min(sojourn, c_.timeout));
    --unresolved_;
  }

  BenchMinute result() {
    busy_workers_.set(now_, busy_);
    busy_servers_.set(now_, busy_queries_);
    const auto share = [](double part, double whole) { return part / whole; };  // 0/0 is NaN
    BenchMinute m;
    m.requests = measured_;
    m.hit_rate = share(hits_, lookups_);
    m.database_utilization = busy_servers_.mean() / static_cast<double>(servers_);
    m.query_time = share(query_time_, queries_);
    m.service_time = share(service_time_, served_);
    m.utilization = busy_workers_.mean() / workers_;
    m.p_wait = share(waited_, measured_);
    m.mean_wait = share(wait_, measured_);
    m.timeouts = share(timed_out_, measured_);
    m.p99 = std::nan("");
    if (!sojourns_.empty()) {
      const auto rank =
          static_cast<std::ptrdiff_t>(std::ceil(0.99 * static_cast<double>(sojourns_.size())) - 1);
      std::nth_element(sojourns_.begin(), sojourns_.begin() + rank, sojourns_.end());
      m.p99 = sojourns_[static_cast<std::size_t>(rank)];
    }
    return m;
  }

  const BenchCase& bench_;
  const Constants& c_;
  Conditions now_is_;
  double starts_, ends_;
  int workers_;
  long servers_;
  Random arrivals_, work_, cache_random_;
  Busy busy_workers_, busy_servers_;
  std::vector<double> expires_;  // when each object's answer expires

  double now_ = 0;
  std::uint64_t order_ = 0;
  std::int64_t handled_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Request> requests_;
  std::deque<std::size_t> waiting_;
  std::deque<Query> waiting_queries_;
  int busy_ = 0, busy_queries_ = 0;
  std::size_t next_refresh_ = 0;
  double refreshed_ = 0;

  int unresolved_ = 0;
  double measured_ = 0, lookups_ = 0, hits_ = 0, waited_ = 0, timed_out_ = 0, served_ = 0;
  double queries_ = 0, query_time_ = 0, service_time_ = 0, wait_ = 0;
  std::vector<double> sojourns_;
};

}  // namespace

BenchMinute simulate_minute(const BenchCase& bench, std::uint64_t seed) {
  return World(bench, seed).run();
}

Constants scaled_to(Constants constants, int instances) {
  const double factor = instances / constants.instances;
  constants.base *= factor;
  constants.hot_objects = std::max(1.0, factor * constants.hot_objects);
  constants.database_limit *= factor;
  constants.warm_up_queries *= factor;
  constants.floor = constants.instances = instances;
  return constants;
}

}  // namespace retrystorm::oncall
