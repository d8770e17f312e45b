#include "service/service.hpp"

#include "core/net/limits.hpp"
#include "core/net/listen.hpp"
#include "core/net/metrics_endpoint.hpp"
#include "core/standard_error.hpp"
#include "service/acceptor.hpp"
#include "service/loop.hpp"
#include "service/service_metrics.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <sys/resource.h>

namespace retrystorm {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t other_descriptors = 64;  // files, timers, listening sockets, scrapers

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

}  // namespace

class Service::Parts {
 public:
  explicit Parts(const ServeOptions& options)
      : options_(options),
        common_(options.scenario, options.limits),
        station_(options.scenario, [this](const Completion& c) { deliver(c); }),
        ledger_(options.ledger, options.token),
        most_connections_(allowed_connections()) {
    common_.station = &station_;
    common_.deliver = [this](const Completion& c) { deliver(c); };
    common_.drained = [this] {
      if (--undrained_ == 0) halt();
    };
    undrained_ = options.threads;
    for (std::uint32_t i = 0; i < options.threads; ++i) {
      loops_.push_back(
          std::make_unique<Loop>(i, common_, ledger_.open(RecordKind::arrivals, i, 0)));
    }
    auto listening = listen_on(loops_[0]->context(), options.listen, "--listen");
    address_ = local_address(listening);
    acceptor_ = std::make_unique<Acceptor>(
        std::move(listening),
        Acceptor::Hooks{[this] { return has_room(); },
                        [this](Descriptor socket) { hand(std::move(socket)); },
                        [this](int error, int turned_away) { accept_failed(error, turned_away); }});
    if (options.metrics) {
      metrics_ = std::make_unique<MetricsEndpoint>(*options.metrics, "--metrics",
                                                   [this] { return metrics(); });
      metrics_address_ = metrics_->address();
    }
  }
  // Its threads look at the parts that come after it.
  ~Parts() { metrics_.reset(); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  ServiceReport run() {
    acceptor_->start();
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < loops_.size(); ++i) {
      threads.emplace_back([loop = loops_[i].get()] { loop->context().run(); });
    }
    loops_[0]->context().run();
    for (std::thread& thread : threads) thread.join();
    acceptor_->stop();
    station_.stop();
    const std::vector<Job> in_work = station_.in_work();
    for (const auto& loop : loops_) loop->finish(in_work);
    ledger_.flush();
    return report();
  }

  void stop() {
    if (stops_.fetch_add(1) > 0) {
      at_once_ = true;
      return halt();
    }
    asio::post(loops_[0]->context(), [this] { acceptor_->stop(); });
    for (const auto& loop : loops_) {
      asio::post(loop->context(), [l = loop.get()] { l->drain(); });
    }
  }

  ServiceCounts counts() const {
    ServiceCounts all;
    for (const auto& loop : loops_) add_up(all, loop->counters());
    return all;
  }

  StationView station() const { return station_.view(); }

  const Address& address() const { return address_; }
  const std::optional<Address>& metrics_address() const { return metrics_address_; }

 private:
  std::uint64_t allowed_connections() {
    const auto wanted = static_cast<std::uint64_t>(options_.scenario.service.max_connections);
    const std::uint64_t limit = raise_descriptor_limit(wanted + other_descriptors);
    if (limit >= wanted + other_descriptors) return wanted;
    const std::uint64_t fit = limit > 2 * other_descriptors ? limit - other_descriptors : limit / 2;
    warnings_.push_back(fmt::format(
        "the descriptor limit of {} leaves room for {} connections, not {}", limit, fit, wanted));
    return fit;
  }

  void halt() {
    for (const auto& loop : loops_) {
      asio::post(loop->context(), [l = loop.get()] { l->context().stop(); });
    }
  }

  void deliver(const Completion& completion) {
    loops_[JobToken::unpack(completion.job.token).loop]->deliver(completion);
  }

  // Counts of the thread that accepts.
  ServiceCounts& accepting() { return loops_[0]->count(); }

  bool has_room() {
    std::uint64_t closed = 0;
    for (const auto& loop : loops_) closed += loop->counters().closed.read();
    if (handed_ - closed < most_connections_) return true;
    accepting().over_cap.add();
    return false;
  }

  void hand(Descriptor socket) {
    Loop* loop = loops_[handed_++ % loops_.size()].get();
    asio::dispatch(loop->context(),
                   [loop, s = std::move(socket)]() mutable { loop->adopt(std::move(s)); });
  }

  void accept_failed(int error, int turned_away) {
    accepting().turned_away.add(static_cast<std::uint64_t>(turned_away));
    if (accepting().accept_errors == 0) {
      warnings_.push_back(fmt::format("accepting connections failed: {}", std::strerror(error)));
      say(fmt::format("retrystorm: {} (counted from now on)\n", warnings_.back()));
    }
    accepting().accept_errors.add();
  }

  std::vector<prometheus::MetricFamily> metrics() const {
    return service_metrics(
        {counts(), station_.view(), ledger_.lost(), options_.scenario, common_.buckets});
  }

  ServiceReport report() {
    ServiceReport r;
    r.counts = counts();
    if (r.counts.completed > 0) {
      r.effective_work =
          Duration(static_cast<std::int64_t>(r.counts.work.sum() / r.counts.completed));
    }
    r.carry_limited = station_.view().carry_limited;
    r.ledger_lost = ledger_.lost();
    r.ledger_error = ledger_.error();
    r.ledger_sha256 = ledger_.digests();
    r.cpu_seconds = cpu_seconds();
    r.stopped_at_once = at_once_;
    r.warnings = warnings_;
    if (r.ledger_lost > 0) {
      r.warnings.push_back(
          fmt::format("{} ledger rows are lost: {}", r.ledger_lost, r.ledger_error));
    }
    return r;
  }

  ServeOptions options_;
  std::vector<std::string> warnings_;
  Common common_;
  SharedStation station_;
  Ledger ledger_;
  std::uint64_t most_connections_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::unique_ptr<Acceptor> acceptor_;
  std::unique_ptr<MetricsEndpoint> metrics_;
  Address address_;
  std::optional<Address> metrics_address_;
  std::uint64_t handed_ = 0;
  std::atomic<std::size_t> undrained_{0};
  std::atomic<int> stops_{0};
  std::atomic<bool> at_once_{false};
};

Service::Service(const ServeOptions& options) : parts_(std::make_unique<Parts>(options)) {}
Service::~Service() = default;

const Address& Service::address() const {
  return parts_->address();
}
const std::optional<Address>& Service::metrics_address() const {
  return parts_->metrics_address();
}
ServiceReport Service::run() {
  return parts_->run();
}
void Service::stop() {
  parts_->stop();
}
ServiceCounts Service::counts() const {
  return parts_->counts();
}

StationView Service::station() const {
  return parts_->station();
}

}  // namespace retrystorm
