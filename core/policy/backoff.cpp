#include "core/policy/backoff.hpp"

#include "core/field_list.hpp"
#include "core/field_tables.hpp"

namespace retrystorm {

void declare_backoff(FieldList& list) {
  using C = ClientSettings;
  using namespace std::chrono_literals;
  list.add(client_table, {{"backoff", Length<C>{&C::backoff, 0ms, 1h}, every_engine,
                           "delay before each retry, or before the first of a growing backoff"}});
  list.add_choice(client_table, "backoff_shape", &C::backoff_shape,
                  "how the delay grows from retry to retry");
  list.add(client_table, {{"backoff_cap", Length<C>{&C::backoff_cap, 0ms, 1h}, sampling_engines,
                           "no delay that grows is longer, other jitter than decorrelated not "
                           "counted"}});
  list.add_choice(client_table, "jitter", &C::jitter, "what is drawn from the delay");
}

}  // namespace retrystorm
