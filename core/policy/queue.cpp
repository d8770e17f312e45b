#include "core/policy/queue.hpp"

#include "core/field_list.hpp"
#include "core/field_tables.hpp"

namespace retrystorm {

void declare_queue(FieldList& list) {
  using S = ServiceSettings;
  list.add(service_table,
           {{"queue", WholeOr<S>{&S::queue, "auto", "useful at 0.9 x timeout", 0, 10'000'000},
             every_engine, "waiting places, the workers not counted"}});
  list.add_choice(service_table, "discipline", &S::discipline,
                  "in which order waiting requests are served");
}

}  // namespace retrystorm
