// Scenario files that must be refused, each in one line that names what is wrong: a drawn case with
// one thing spoilt.
#pragma once

#include "tests/campaign/case.hpp"

#include <cstdint>

namespace retrystorm::campaign {

// Case `number` of a campaign, spoilt.
Case spoil(std::uint64_t seed, std::uint64_t number);

}  // namespace retrystorm::campaign
