// A generator's result as one JSON document and as text for people.
#pragma once

#include "core/terminal.hpp"
#include "loadgen/result.hpp"

#include <string>

#include <boost/json/fwd.hpp>

namespace retrystorm::loadgen {

// The document of load.hpp.
boost::json::value to_json(const Result& result);

// Goodput first, then what was offered and attempted, sums that balance, outcomes, latencies, lag.
// In lines of at most `width`.
std::string to_text(const Result& result, std::size_t width = default_width);

}  // namespace retrystorm::loadgen
