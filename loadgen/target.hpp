// Which of a host's addresses is loaded.
#pragma once

#include "core/net/address.hpp"
#include "core/units.hpp"

#include <vector>

namespace retrystorm::loadgen {

// The first of `addresses` where somebody takes a connection within `limit`, the first of all if
// nobody does anywhere. Of a single one nobody is asked.
Address answering(const std::vector<Address>& addresses, Duration limit = std::chrono::seconds(1));

}  // namespace retrystorm::loadgen
