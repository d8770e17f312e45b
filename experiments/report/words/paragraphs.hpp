// The paragraphs of a report, each an answer to one question.
#pragma once

#include "experiments/report/report.hpp"
#include "model/advice.hpp"

#include <optional>
#include <string>

namespace retrystorm {

std::string what_happened(const Report& report);
std::string why_it_happened(const Report& report);
std::string which_knob(const Report& report, const std::optional<Advice>& advice);
std::string whether_to_trust(const Report& report);

}  // namespace retrystorm
