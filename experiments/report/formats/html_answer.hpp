// The first thing on the page: the answer in figures.
#pragma once

#include "experiments/report/formats/html.hpp"
#include "experiments/report/words/words.hpp"

#include <string>

namespace retrystorm {

// A list of three figures: safe up to, falls at, best knob; empty where nothing was measured.
std::string answer_html(const Report& report, const Pictures& pictures, const Words& words);

}  // namespace retrystorm
