#include "model/settled/settled_service.hpp"

#include "model/capacity/ddcn.hpp"
#include "model/capacity/dmcn.hpp"
#include "model/capacity/mdcn.hpp"
#include "model/capacity/mmcn.hpp"
#include "model/capacity/sojourn.hpp"
#include "model/sizes.hpp"

#include <algorithm>

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

}  // namespace

SettledService::SettledService(const Scenario& s)
    : law_(law_of(s)),
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
  switch (law_) {
    case Law::mmcn:
      return capacity::mmcn_probabilities(attempts_per_s, 1 / work_s_, workers_, room_);
    case Law::dmcn:
      return capacity::dmcn(attempts_per_s, 1 / work_s_, workers_, room_).found;
    case Law::mdcn:
    case Law::ddcn:
      break;
  }
  return capacity::mdcn(attempts_per_s, work_s_, workers_, room_).p;
}

std::vector<double> SettledService::late(double seconds) const {
  if (law_ == Law::mdcn) {
    return capacity::fixed_work_late_probabilities(work_s_, workers_, room_, seconds);
  }
  return capacity::late_probabilities(1 / work_s_, workers_, room_, seconds);
}

// Some hundred rounds of a service that has been full for ever: enough to meet every phase between
// arrivals and departures (the rounds repeat themselves or fill the interval evenly).
std::vector<SettledService::Sojourn> SettledService::even_sojourns(double attempts_per_s) const {
  const capacity::DDcN q{1 / attempts_per_s, work_s_, workers_, room_};
  if (!q.overloaded()) return {{work_s_, 1}};
  constexpr double rounds = 500;
  const double jobs = rounds * static_cast<double>(workers_);
  std::vector<Sojourn> list;
  capacity::visit_rounds(q, 0, jobs, true, [&](const capacity::EvenGroup& g) {
    list.push_back({g.sojourn_s, g.count / jobs});
  });
  return list;
}

AttemptShares SettledService::shares(double attempts_per_s) const {
  AttemptShares shares;
  double in_time = 0;
  if (law_ == Law::ddcn) {
    const capacity::DDcN q{1 / attempts_per_s, work_s_, workers_, room_};
    shares.refused = q.refused_share();
    for (const Sojourn& s : even_sojourns(attempts_per_s)) {
      if (s.seconds <= patience_s_ + 1e-9) in_time += s.share;
    }
    shares.succeeded = (1 - shares.refused) * std::min(1.0, in_time);
    shares.late = 1 - shares.refused - shares.succeeded;
    return shares;
  }
  const std::vector<double> p = found(attempts_per_s);
  shares.refused = p.back();
  // Late and in time are both sums, so that neither loses digits to the other.
  for (std::size_t n = 0; n + 1 < p.size(); ++n) {
    const double late = late_.empty() ? 1 : late_[n];
    shares.late += p[n] * late;
    shares.succeeded += p[n] * (1 - late);
  }
  return shares;
}

std::vector<double> SettledService::sojourn_cdf(double attempts_per_s,
                                                const std::vector<double>& seconds) const {
  std::vector<double> cdf;
  cdf.reserve(seconds.size());
  if (law_ == Law::ddcn) {
    const std::vector<Sojourn> sojourns = even_sojourns(attempts_per_s);
    for (const double t : seconds) {
      double sum = 0;
      for (const Sojourn& s : sojourns) sum += s.seconds <= t + 1e-9 ? s.share : 0;
      cdf.push_back(std::min(1.0, sum));
    }
    return cdf;
  }
  const std::vector<double> p = found(attempts_per_s);
  for (const double t : seconds) {
    const std::vector<double> late_at = late(std::max(0.0, t));
    double sum = 0;
    for (std::size_t n = 0; n + 1 < p.size(); ++n) sum += p[n] * (1 - late_at[n]);
    cdf.push_back(sum / (1 - p.back()));
  }
  return cdf;
}

}  // namespace retrystorm
