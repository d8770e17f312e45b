#include "core/stage_counts.hpp"

namespace retrystorm {

StageCounts::StageCounts(const Scenario& scenario) {
  Instant start{};
  for (const Stage& stage : scenario.client.stages) {
    stages_.push_back(
        {text_of(stage), start, start + stage.length / 3, start + stage.length, {}, {}});
    start += stage.length;
  }
}

void StageCounts::count_in_stage(Event event, Instant at) {
  while (at < stages_[latest_].start && latest_ > 0) --latest_;
  while (at >= stages_[latest_].end && latest_ + 1 < stages_.size()) ++latest_;
  OneStage& stage = stages_[latest_];
  if (at < stage.start || at >= stage.end) return;  // while the run drains
  const auto which = static_cast<std::size_t>(event);
  ++stage.whole[which];
  if (at >= stage.later) ++stage.rest[which];
}

void StageCounts::merge(const StageCounts& other) {
  if (stages_.empty()) {
    stages_ = other.stages_;
    return;
  }
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    for (std::size_t event = 0; event < stages_[i].whole.size(); ++event) {
      stages_[i].whole[event] += other.stages_[i].whole[event];
      stages_[i].rest[event] += other.stages_[i].rest[event];
    }
  }
}

std::vector<StageRates> StageCounts::rates() const {
  const auto rates_of = [](Duration length, const Counted& counted) {
    const auto of = [&](Event event) {
      return static_cast<double>(counted[static_cast<std::size_t>(event)]);
    };
    return make_rates(seconds(length), of(Event::offered), of(Event::succeeded),
                      of(Event::completed), of(Event::attempted), of(Event::abandoned));
  };
  std::vector<StageRates> list;
  for (const OneStage& s : stages_) {
    list.push_back({s.name, seconds(since_start(s.start)), seconds(since_start(s.end)),
                    rates_of(s.end - s.start, s.whole), rates_of(s.end - s.later, s.rest)});
  }
  return list;
}

}  // namespace retrystorm
