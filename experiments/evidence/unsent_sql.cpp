#include "experiments/evidence/unsent_sql.hpp"

#include "core/reason.hpp"

#include <fmt/format.h>

namespace retrystorm {

std::string unsent_by_policy_sql() {
  std::string shortages;
  for (const ReasonRow& row : reasons) {
    if (unsent_kind(row.reason) != UnsentKind::shortage) continue;
    shortages += fmt::format("{}'{}'", shortages.empty() ? "" : ", ", row.name);
  }
  return fmt::format("(outcome = 'unsent' AND coalesce(reason NOT IN ({}), 0))", shortages);
}

}  // namespace retrystorm
