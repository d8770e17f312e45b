#include "model/settled/settled_service.hpp"

#include "model/capacity/ddcn.hpp"
#include "model/capacity/dmcn.hpp"
#include "model/capacity/md1n_sojourn.hpp"
#include "model/capacity/mdc.hpp"
#include "model/capacity/mdcn.hpp"
#include "model/capacity/mmcn.hpp"
#include "model/capacity/poisson.hpp"
#include "model/capacity/sojourn.hpp"
#include "model/capacity/sojourn_law.hpp"
#include "model/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace retrystorm {
namespace {

SettledService::Law law_of(const Scenario& s) {
  using Law = SettledService::Law;
  if (!settled_is_solvable(s)) return Law::mmcn;
  const bool even = s.client.arrivals == ArrivalProcess::even;
  const bool exponential =
      s.service.work_shape == WorkShape::exponential ||
      (s.service.work_shape == WorkShape::lognormal && s.service.work_cv > 0.5);
  if (exponential) return even ? Law::dmcn : Law::mmcn;
  return even ? Law::ddcn : Law::mdcn;
}

// Fixed work without a chance in it: so many sojourns of one length each.
class EvenSojourns {
 public:
  // Some hundred rounds of a service that has been full for ever: enough to meet every phase
  // between arrivals and departures (the rounds repeat themselves or fill the interval evenly).
  explicit EvenSojourns(const capacity::DDcN& q) {
    if (!q.overloaded()) {
      list_ = {{q.work_s, 1}};
      return;
    }
    constexpr double rounds = 500;
    const double jobs = rounds * static_cast<double>(q.servers);
    capacity::visit_rounds(q, 0, jobs, true, [&](const capacity::EvenGroup& g) {
      list_.emplace_back(g.sojourn_s, g.count / jobs * (1 - q.refused_share()));
    });
  }
  EvenSojourns(double seconds, double share) : list_{{seconds, share}} {}

  double within(double seconds) const {
    return sum(seconds, [](double) { return 1.0; });
  }
  double sum_within(double seconds) const {
    return sum(seconds, [](double sojourn) { return sojourn; });
  }

 private:
  template <typename F>
  double sum(double seconds, F&& f) const {
    double sum = 0;
    // A nanosecond is where instants are equal.
    for (const auto& [sojourn, share] : list_)
      if (sojourn <= seconds + 1e-9) sum += share * f(sojourn);
    return sum;
  }

  std::vector<std::pair<double, double>> list_;  // sojourn in seconds, share of attempts
};

// M/D/c's sojourns: a wait, and then the work.
class FixedWorkSojourns {
 public:
  FixedWorkSojourns(capacity::MDc queue, double work_s) : queue_(std::move(queue)), work_(work_s) {}

  double within(double seconds) const {
    const double wait = seconds - work_;
    return wait < -slack ? 0 : 1 - queue_.wait_tail(std::max(0.0, wait));
  }
  double sum_within(double seconds) const {
    const double wait = seconds - work_;
    if (wait < -slack) return 0;
    return queue_.wait_sum_within(std::max(0.0, wait)) + work_ * within(seconds);
  }

 private:
  static constexpr double slack = 1e-12;
  capacity::MDc queue_;
  double work_;
};

// M/D/c, if the queue is long enough for it to be M/D/c/`room`'s law too.
std::optional<capacity::MDc> unlimited(double attempts_per_s, double work_s, std::int64_t workers,
                                       std::int64_t room) {
  const double load = attempts_per_s * work_s / static_cast<double>(workers);
  // Nearer to saturation no queue in range is long enough, and MDc's lists are long.
  if (load > 0.9999) return std::nullopt;
  capacity::MDc queue(attempts_per_s, work_s, workers);
  if (queue.in_system_tail(room) > 1e-5) return std::nullopt;
  return queue;
}

}  // namespace

SettledService::SettledService(const Scenario& s, Meter* meter)
    : law_(law_of(s)),
      meter_(meter),
      work_s_(seconds(s.service.work)),
      workers_(s.service.workers),
      room_(s.service.workers + queue_places(s)),
      patience_s_(seconds(s.client.timeout - s.network.round_trip)) {
  if (law_ != Law::ddcn && patience_s_ >= 0) late_ = late(patience_s_);
}

bool SettledService::exact() const {
  return law_ != Law::mdcn || workers_ == 1 || room_ == workers_;
}

std::vector<double> SettledService::found(double attempts_per_s) const {
  spend(meter_, price::listed_state * static_cast<double>(room_));
  switch (law_) {
    case Law::mmcn:
      return capacity::mmcn_probabilities(attempts_per_s, 1 / work_s_, workers_, room_);
    case Law::dmcn:
      return capacity::dmcn(attempts_per_s, 1 / work_s_, workers_, room_, meter_).found;
    case Law::mdcn:
    case Law::ddcn:
      break;
  }
  return capacity::mdcn(attempts_per_s, work_s_, workers_, room_, meter_).p;
}

// By the loops of capacity/: see the laws there for the bands.
Cost SettledService::cost(double attempts_per_s) const {
  const auto c = static_cast<double>(workers_);
  const auto room = static_cast<double>(room_);
  const double listed = price::listed_state * room;
  const double mean = attempts_per_s * work_s_;  // arrivals in a work time
  switch (law_) {
    case Law::mmcn:
      return {listed * 1e-9, 40 * room};
    case Law::ddcn:
      return {price::listed_state * 2000 * 1e-9, 40'000};
    case Law::dmcn: {
      const double departures = c / (work_s_ * attempts_per_s);
      const auto reach = static_cast<double>(capacity::poisson_reach(departures, 1e-25));
      const double rows = price::law_state * std::min(room, c + reach) * reach * reach;
      return {(listed + rows + price::band_product * room * reach) * 1e-9,
              8 * room * (std::min(reach, room) + 8)};
    }
    case Law::mdcn:
      break;
  }
  if (room_ == workers_) return {listed * 1e-9, 40 * room};
  if (workers_ == 1) {
    const double reach = std::min(room, static_cast<double>(capacity::poisson_reach(mean, 1e-300)));
    const double rescaled = room * room * std::log(1 + mean) / 460;
    return {(listed + price::band_product * (3 * room * reach + rescaled)) * 1e-9, 80 * room};
  }
  const auto reach = static_cast<double>(capacity::poisson_reach(mean, 1e-25));
  const double fewest = std::max(0.0, mean - 10.5 * std::sqrt(mean));
  const double down = std::min(c, std::max(0.0, c - fewest) + 7 * std::sqrt(c) + 5);
  // Near to full each state below c has a step of its own.
  const double partial = std::clamp(c - std::max(0.0, room - reach), 0.0, c);
  return {
      (listed + price::band_product * (room * down * reach + 2 * partial * down * reach)) * 1e-9,
      8 * room * (std::min(down + reach, room) + 8)};
}

std::vector<double> SettledService::late(double seconds) const {
  if (law_ == Law::mdcn) {
    return capacity::fixed_work_late_probabilities(work_s_, workers_, room_, seconds);
  }
  return capacity::late_probabilities(1 / work_s_, workers_, room_, seconds);
}

AttemptShares SettledService::shares(double attempts_per_s) const {
  AttemptShares shares;
  if (law_ == Law::ddcn) {
    const capacity::DDcN q{1 / attempts_per_s, work_s_, workers_, room_};
    shares.refused = q.refused_share();
    shares.succeeded = std::min(1 - shares.refused, EvenSojourns(q).within(patience_s_));
    shares.late = 1 - shares.refused - shares.succeeded;
    return shares;
  }
  const std::vector<double> p = found(attempts_per_s);
  shares.refused = p.back();
  if (one_at_a_time()) {
    const double admitted = 1 - shares.refused;
    if (patience_s_ >= 0) {
      const capacity::MD1NSojourn sojourn(attempts_per_s, work_s_, p);
      shares.succeeded = std::min(admitted, sojourn.within(patience_s_));
    }
    shares.late = admitted - shares.succeeded;
    return shares;
  }
  // Late and in time are both sums, so that neither loses digits to the other.
  for (std::size_t n = 0; n + 1 < p.size(); ++n) {
    const double late = late_.empty() ? 1 : late_[n];
    shares.late += p[n] * late;
    shares.succeeded += p[n] * (1 - late);
  }
  return shares;
}

std::optional<Sojourns> SettledService::sojourns(double attempts_per_s) const {
  if (law_ == Law::ddcn) {
    const capacity::DDcN q{1 / attempts_per_s, work_s_, workers_, room_};
    return sojourns_of(EvenSojourns(q), 1 - q.refused_share());
  }
  if (law_ == Law::mdcn && workers_ > 1 && room_ > workers_) {
    auto queue = unlimited(attempts_per_s, work_s_, workers_, room_);
    if (!queue) return std::nullopt;
    return sojourns_of(FixedWorkSojourns(*std::move(queue), work_s_), 1);
  }
  std::vector<double> p = found(attempts_per_s);
  const double admitted = 1 - p.back();
  if (one_at_a_time()) {
    return sojourns_of(capacity::MD1NSojourn(attempts_per_s, work_s_, p), admitted);
  }
  if (law_ == Law::mdcn) return sojourns_of(EvenSojourns(work_s_, admitted), admitted);
  p.pop_back();
  capacity::SojournLaw law(1 / work_s_, workers_, p);
  const double total = law.total();
  return sojourns_of(std::move(law), total);
}

}  // namespace retrystorm
