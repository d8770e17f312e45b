#include "core/policy/staged_arrivals.hpp"

#include <algorithm>

#include <boost/random/exponential_distribution.hpp>

namespace retrystorm {
namespace {

constexpr std::int64_t area_unit = 1'000'000'000'000;  // thousandths per second, in nanoseconds

__extension__ using Wide = __int128;

}  // namespace

StagedArrivals::StagedArrivals(const std::vector<Stage>& stages, std::uint64_t index,
                               std::uint64_t step)
    : index_(index), step_(step) {
  plan(stages);
  enter();
}

StagedArrivals::StagedArrivals(const std::vector<Stage>& stages) {
  plan(stages);
  place(0);
}

void StagedArrivals::plan(const std::vector<Stage>& stages) {
  Instant start{};
  std::uint64_t first = 0;
  for (const Stage& stage : stages) {
    const std::uint64_t count = requests_in(stage);
    stages_.push_back({stage, start, first, count});
    start += stage.length;
    first += count;
  }
}

// Finds the stage of request `index_`, and in it its instant.
void StagedArrivals::enter() {
  while (at_ < stages_.size() && index_ >= stages_[at_].first + stages_[at_].count) ++at_;
  if (at_ == stages_.size()) {
    stage_end_ = 0;
    next_ = never;
    return;
  }
  const Planned& p = stages_[at_];
  const std::uint64_t k = index_ - p.first;
  stage_end_ = p.first + p.count;
  ramp_ = p.stage.from != p.stage.to;
  next_ = p.start + instant_in(p.stage, k);
  if (ramp_) return;
  rate_ = p.stage.from;
  const std::int64_t steps = area_unit * static_cast<std::int64_t>(step_);
  gap_ = Duration(steps / rate_);
  gap_rest_ = steps % rate_;
  rest_ = static_cast<std::int64_t>(static_cast<Wide>(k) * area_unit % rate_);
}

std::uint64_t StagedArrivals::remaining() const {
  if (next_ == never) return 0;
  const std::uint64_t all = stages_.back().first + stages_.back().count;
  return (all - index_ + step_ - 1) / step_;
}

void StagedArrivals::draw(Random& random) {
  place(area_ + boost::random::exponential_distribution<double>()(random));
}

// The request is where the cumulative rate has grown so far since the start of the stage.
void StagedArrivals::place(double area) {
  for (; at_ < stages_.size() && area >= area_of(stages_[at_].stage); ++at_) {
    area -= area_of(stages_[at_].stage);
  }
  area_ = area;
  if (at_ == stages_.size()) {
    next_ = never;
    return;
  }
  const Planned& p = stages_[at_];
  const Instant at = p.start + instant_at_area(p.stage, area);
  // Rounding may not turn two requests round.
  next_ = next_ == never ? at : std::max(next_, at);
}

double StagedArrivals::area_left() const {
  double area = -area_;
  for (std::size_t i = at_; i < stages_.size(); ++i) area += area_of(stages_[i].stage);
  return area;
}

}  // namespace retrystorm
