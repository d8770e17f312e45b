// What a query over one try gives, whole.
#pragma once

#include "experiments/evidence/database.hpp"
#include "experiments/evidence/try_key.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace retrystorm {

// The rows of a query with one column, as integers. Its parameters are the arm and the try_number.
std::vector<std::int64_t> integers(Database& database, const TryKey& key, std::string_view sql);

}  // namespace retrystorm
