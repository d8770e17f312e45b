// What the generator's ledger tells of the load that it offered (core/load_offered.hpp).
#pragma once

#include "core/load_offered.hpp"
#include "experiments/evidence/database.hpp"
#include "experiments/evidence/try_key.hpp"

namespace retrystorm {

// Of one imported try.
LoadOffered load_from_ledger(Database& database, const TryKey& key, const TrustLimits& limits);

}  // namespace retrystorm
