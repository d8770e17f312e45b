#include "core/policy/retry.hpp"

#include "core/field_list.hpp"
#include "core/field_tables.hpp"

namespace retrystorm {

void declare_retry(FieldList& list) {
  using C = ClientSettings;
  list.add(client_table,
           {{"retries", Whole<C>{&C::retries, 0, 1000}, every_engine, "extra attempts per request"},
            {"retry_on", Outcomes<C>{&C::retry_on}, every_engine,
             "outcomes of an attempt after which it is retried"}});
}

}  // namespace retrystorm
