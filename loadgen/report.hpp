// A generator's result as one JSON document and as text for people.
#pragma once

#include "loadgen/result.hpp"

#include <string>

#include <boost/json/fwd.hpp>

namespace retrystorm::loadgen {

// The document of load.hpp.
boost::json::value to_json(const Result& result);

// Goodput first, then what was offered and attempted, sums that balance, outcomes, latencies, lag.
std::string to_text(const Result& result);

}  // namespace retrystorm::loadgen
