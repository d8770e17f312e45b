// Predictions for people: the engines side by side, and a sweep as a table or CSV.
#pragma once

#include "core/terminal.hpp"
#include "experiments/verbs/predict_answer.hpp"
#include "model/sweep.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace retrystorm {

// A column an engine; counts, then the whole run, then the settled window. Engines that do not fit
// beside the others stand below them.
std::string engines_table(const std::vector<EngineAnswer>& answers,
                          std::size_t width = default_width);

// How many steps of a sweep have no settled figures, and why; empty if all have.
std::string unsettled_text(const std::vector<SweepStep>& steps);

// A row a step: settled goodput, throughput, abandoned share, amplification; what does not fit is
// left out, and named.
std::string sweep_table(const Sweep& range, const std::vector<SweepStep>& steps,
                        std::size_t width = default_width);
std::string sweep_csv(const Sweep& range, const std::vector<SweepStep>& steps);

}  // namespace retrystorm
