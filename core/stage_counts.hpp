// What happens in each stage of an offered load, each event in the stage of its own instant: counts
// that become the rates of a Tally's stages. For any source of events: a simulation, a ledger, a
// generator's books.
#pragma once

#include "core/scenario.hpp"
#include "core/tally.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace retrystorm {

class StageCounts {
 public:
  enum class Event : std::uint8_t { offered, attempted, succeeded, completed, abandoned };

  // Counts nothing, until others are merged into it.
  StageCounts() = default;
  // Counts nothing for a load without stages.
  explicit StageCounts(const Scenario& scenario);

  void count(Event event, Instant at) {
    if (!stages_.empty()) [[unlikely]]
      count_in_stage(event, at);
  }
  // Adds another's counts, of the same scenario.
  void merge(const StageCounts& other);

  std::vector<StageRates> rates() const;

 private:
  using Counted = std::array<std::uint64_t, 5>;  // by event
  struct OneStage {
    std::string name;
    Instant start, later, end;  // `later`: a third into it
    Counted whole{}, rest{};    // rest: from `later` on
  };
  void count_in_stage(Event event, Instant at);

  std::vector<OneStage> stages_;
  std::size_t latest_ = 0;  // where the last event was: the next is near
};

}  // namespace retrystorm
