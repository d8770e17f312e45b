#include "core/policy/arrivals.hpp"

#include "core/field_list.hpp"
#include "core/field_tables.hpp"

#include <cmath>

#include <boost/random/exponential_distribution.hpp>

namespace retrystorm {

Arrivals::Arrivals(const Scenario& scenario) : Arrivals(scenario, Share{}) {}

Arrivals::Arrivals(const Scenario& s, Share share)
    : kind_(s.client.arrivals == ArrivalProcess::even ? Kind::even : Kind::poisson),
      gap_first_(s.simulation.first_arrival == FirstArrival::gap),
      share_(share),
      rate_(s.client.rate),
      end_(instant_at(s.client.duration)),
      index_(share.first),
      random_(static_cast<std::uint64_t>(s.seed), Stream::arrivals) {
  if (rate_ == std::floor(rate_)) whole_rate_ = static_cast<std::uint64_t>(rate_);
  if (kind_ == Kind::even) {
    set_next(even_instant(index_));
  } else {
    if (gap_first_) draw_gap();
    for (std::uint64_t i = 0; i < share_.first; ++i) draw_gap();
    set_next(instant_at(static_cast<std::int64_t>(poisson_now_)));
  }
}

Arrivals::Arrivals(std::vector<Instant> list)
    : kind_(Kind::list), random_(0), list_(std::move(list)) {
  next_ = list_.empty() ? never : list_.front();
}

Instant Arrivals::even_instant(std::uint64_t i) const {
  if (gap_first_) ++i;
  if (whole_rate_ != 0) {
    if (i < 18'000'000'000ULL) {
      return instant_at(static_cast<std::int64_t>(i * 1'000'000'000ULL / whole_rate_));
    }
    __extension__ using Wide = unsigned __int128;
    return instant_at(
        static_cast<std::int64_t>(static_cast<Wide>(i) * 1'000'000'000ULL / whole_rate_));
  }
  return instant_at(static_cast<std::int64_t>(
      std::floor(static_cast<long double>(i) * 1e9L / static_cast<long double>(rate_))));
}

void Arrivals::draw_gap() {
  poisson_now_ += boost::random::exponential_distribution<double>(rate_ * 1e-9)(random_);
}

void Arrivals::set_next(Instant candidate) {
  const bool within = gap_first_ ? candidate <= end_ : candidate < end_;
  next_ = within ? candidate : never;
}

void Arrivals::pop() {
  index_ += share_.step;
  switch (kind_) {
    case Kind::even:
      set_next(even_instant(index_));
      break;
    case Kind::poisson:
      for (std::uint64_t i = 0; i < share_.step; ++i) draw_gap();
      set_next(instant_at(static_cast<std::int64_t>(poisson_now_)));
      break;
    case Kind::list:
      next_ = index_ < list_.size() ? list_[index_] : never;
      break;
  }
}

std::optional<std::uint64_t> Arrivals::remaining() const {
  if (next_ == never) return 0;
  if (kind_ == Kind::list) return list_.size() - index_;
  constexpr std::uint64_t most_drawn = 50'000'000;
  if (kind_ == Kind::poisson && rate_ * seconds(end_ - next_) > most_drawn) return std::nullopt;
  if (kind_ == Kind::poisson) {
    Arrivals rest = *this;
    std::uint64_t count = 0;
    for (; rest.next_ != never; rest.pop()) ++count;
    return count;
  }
  // Even: the number of instants within the duration, found by halving.
  std::uint64_t low = 0;
  std::uint64_t high = 1;
  const auto within = [&](std::uint64_t k) {
    const Instant at = even_instant(index_ + k * share_.step);
    return gap_first_ ? at <= end_ : at < end_;
  };
  while (within(high)) high *= 2;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (within(middle) ? low : high) = middle;
  }
  return low + 1;
}

void declare_arrivals(FieldList& list) {
  using C = ClientSettings;
  using namespace std::chrono_literals;
  list.add(client_table,
           {{"rate", Rate<C>{&C::rate, 0.001, 1e7}, every_engine, "requests offered per second"},
            {"arrivals", OneOf<C, ArrivalProcess>{&C::arrivals, {"even", "poisson"}}, every_engine,
             "how requests are spaced", true,
             [](const C& c) { return c.arrivals == ArrivalProcess::poisson; }},
            {"duration", Length<C>{&C::duration, 1ms, 24h}, every_engine,
             "how long requests are offered"}});
}

}  // namespace retrystorm
