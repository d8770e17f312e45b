#include "experiments/evidence/try_query.hpp"

namespace retrystorm {

std::vector<std::int64_t> integers(Database& database, const TryKey& key, std::string_view sql) {
  Statement statement(database, sql);
  statement.bind(key.arm, key.try_number);
  const Column value = statement.only_column();
  std::vector<std::int64_t> values;
  while (statement.step()) values.push_back(value.integer());
  return values;
}

}  // namespace retrystorm
