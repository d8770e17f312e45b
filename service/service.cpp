#include "service/service.hpp"

#include "core/error.hpp"
#include "core/net/acceptor.hpp"
#include "core/net/listen.hpp"
#include "core/net/metrics_endpoint.hpp"
#include "core/standard_error.hpp"
#include "service/loop.hpp"
#include "service/loop_threads.hpp"
#include "service/room.hpp"
#include "service/service_metrics.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <sys/resource.h>

namespace retrystorm {

namespace asio = boost::asio;

namespace {

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

// Starts something; what is short is named. (A port and a thread name themselves.)
template <typename Start>
auto named_shortage(Start&& start) {
  constexpr std::string_view no_memory =
      "serve: out of memory at the start; see ulimit -v, or the control group's limit";
  try {
    return start();
  } catch (const std::bad_alloc&) {
    throw RunFailed(std::string(no_memory));
  } catch (const boost::system::system_error& error) {
    const int code = error.code().value();
    if (code == ENOMEM) throw RunFailed(std::string(no_memory));
    const bool descriptors = code == EMFILE || code == ENFILE;
    throw RunFailed(fmt::format("serve: {}: {}{}",
                                descriptors ? "out of descriptors at the start" : "cannot start",
                                error.code().message(), descriptors ? "; see ulimit -n" : ""));
  }
}

}  // namespace

class Service::Parts {
 public:
  explicit Parts(const ServeOptions& options)
      : options_(options),
        common_(options.scenario, options.limits),
        station_(options.scenario, [this](const Completion& c) { deliver(c); }),
        ledger_(options.ledger, options.token),
        room_(room_for_descriptors(
            static_cast<std::uint64_t>(options.scenario.service.max_connections),
            options.limits.guests)) {
    common_.station = &station_;
    common_.strangers = &strangers_;
    common_.token = options.token;
    common_.deliver = [this](const Completion& c) { deliver(c); };
    common_.drained = [this] {
      if (--undrained_ == 0) halt();
    };
    common_.draining = [this] { acceptor_->stop(); };
    undrained_ = options.threads;
    for (std::uint32_t i = 0; i < options.threads; ++i) {
      loops_.push_back(
          std::make_unique<Loop>(i, common_, ledger_.open(RecordKind::arrivals, i, 0)));
    }
    auto listening = listen_on(loops_[0]->context(), options.listen, "--listen");
    acceptor_ = std::make_unique<Acceptor>(
        std::move(listening), accepting_memory_,
        Acceptor::Hooks{[this](Descriptor socket) { hand(std::move(socket)); },
                        [this](int error, int turned_away) { accept_failed(error, turned_away); }});
    address_ = acceptor_->address();
    if (options.metrics) {
      metrics_ = std::make_unique<MetricsEndpoint>(*options.metrics, "--metrics",
                                                   [this] { return metrics(); });
      metrics_address_ = metrics_->address();
    }
    threads_.start(loops_);
  }
  // Its threads look at the parts that come after it.
  ~Parts() { metrics_.reset(); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  // Once all else is there and has taken what it needs.
  void prepare() {
    room_ = room_for_memory(std::move(room_), options_.limits);
    common_.short_of_resources = room_.short_of_resources;
    for (const auto& loop : loops_) loop->expect(room_.connections + options_.limits.guests);
    acceptor_->start();
  }

  ServiceReport run() {
    threads_.go();
    loops_[0]->run();
    threads_.join();
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
    for (const auto& loop : loops_) loop->ask_to_drain();
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
  void halt() {
    for (const auto& loop : loops_) {
      try {
        asio::post(loop->context(), [l = loop.get()] { l->context().stop(); });
      } catch (const std::bad_alloc&) {
        loop->context().stop();
      }
    }
  }

  void deliver(const Completion& completion) {
    loops_[JobToken::unpack(completion.job.token).loop]->deliver(completion);
  }

  // Counts of the thread that accepts.
  ServiceCounts& accepting() { return loops_[0]->count(); }

  // To the loops in rotation; beyond the cap to the first, as a guest.
  void hand(Descriptor socket) {
    std::uint64_t closed = 0;
    for (const auto& loop : loops_) closed += loop->counters().closed.read();
    if (handed_ - closed >= room_.connections + loops_[0]->guests()) {
      ++handed_;
      return loops_[0]->adopt(std::move(socket), Place::guest);
    }
    Loop* loop = loops_[next_++ % loops_.size()].get();
    ++handed_;
    try {
      asio::dispatch(loop->context(), [loop, s = std::move(socket)]() mutable {
        loop->adopt(std::move(s), Place::own);
      });
    } catch (const std::bad_alloc&) {
      --handed_;
      accepting().turned_away.add();
    }
  }

  void accept_failed(int error, int turned_away) {
    accepting().turned_away.add(static_cast<std::uint64_t>(turned_away));
    if (accepting().accept_errors == 0) warn_of(error);
    accepting().accept_errors.add();
  }

  void warn_of(int error) {
    try {
      room_.warnings.push_back(
          fmt::format("accepting connections failed: {}", std::strerror(error)));
      say(fmt::format("retrystorm: {} (counted from now on)\n", room_.warnings.back()));
    } catch (const std::bad_alloc&) {
      // The count says it.
    }
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
    try {
      r.ledger_sha256 = ledger_.digests();
    } catch (const std::bad_alloc&) {
      // The last words are worth more than this part of them; who reads the files says that it
      // found no digest.
    }
    r.cpu_seconds = cpu_seconds();
    r.stopped_at_once = at_once_;
    r.warnings = room_.warnings;
    if (r.ledger_lost > 0) {
      r.warnings.push_back(
          fmt::format("{} ledger rows are lost: {}", r.ledger_lost, r.ledger_error));
    }
    return r;
  }

  ServeOptions options_;
  Common common_;
  std::atomic<std::uint64_t> strangers_{0};
  SharedStation station_;
  Ledger ledger_;
  Room room_;
  Acceptor::Memory accepting_memory_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::unique_ptr<Acceptor> acceptor_;
  std::unique_ptr<MetricsEndpoint> metrics_;
  Address address_;
  std::optional<Address> metrics_address_;
  std::uint64_t handed_ = 0;
  std::size_t next_ = 0;  // in the rotation
  std::atomic<std::size_t> undrained_{0};
  std::atomic<int> stops_{0};
  std::atomic<bool> at_once_{false};
  LoopThreads threads_;
};

Service::Service(const ServeOptions& options)
    : parts_(named_shortage([&] { return std::make_unique<Parts>(options); })) {}
Service::~Service() = default;

const Address& Service::address() const {
  return parts_->address();
}
const std::optional<Address>& Service::metrics_address() const {
  return parts_->metrics_address();
}
ServiceReport Service::run() {
  named_shortage([&] { parts_->prepare(); });
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
