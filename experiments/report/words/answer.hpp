// The answer of a report in three figures: up to which load the service is safe, at which load it
// falls, and which knob buys most. Of the arms that differ from the one told of in nothing but
// their load.
#pragma once

#include "experiments/report/report.hpp"
#include "experiments/report/words/words.hpp"
#include "model/simulate/course.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace retrystorm {

// A load offered, and who says so.
struct AnsweredLoad {
  // Measured, by trusted arms.
  std::optional<double> measured_per_s;
  std::size_t arm = 0;  // the index of the one that was measured at it
  // Simulated, where the run has such a line.
  std::optional<double> predicted_per_s;
  bool known() const { return measured_per_s || predicted_per_s; }
};

struct Answer {
  // The highest load at which at least 99 % of what is offered succeeds, at every load below as
  // well.
  AnsweredLoad safe_up_to;
  // The lowest load above it whose goodput is less than nine tenths of what the load and the
  // ceiling allow.
  AnsweredLoad falls_at;
  // The change that buys most of those that help, or that removes a second state; nothing if no
  // change was tried or none helps.
  std::optional<Change> knob;
};

// The arms of the report that differ from `arm` in nothing but their load, it included; by rising
// load.
std::vector<std::size_t> same_but_load(const Report& report, const ArmReport& arm);

// `predicted`: goodput against load as simulated for these arms, by rising load; may be empty.
Answer answer_of(const Report& report, const ArmReport& told, std::span<const CliffPoint> predicted,
                 const Words& words);

}  // namespace retrystorm
