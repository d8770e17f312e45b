#include "core/policy/injection.hpp"

#include "core/field_list.hpp"
#include "core/field_tables.hpp"

namespace retrystorm {

void declare_injection(FieldList& list) {
  using S = ServiceSettings;
  list.add(service_table, {{"fail_rate", Number<S>{&S::fail_rate, 0, 1}, sampling_engines,
                            "share of the arrivals that are refused at random, whatever the load",
                            true, [](const S& s) { return s.fail_rate > 0 && s.fail_rate < 1; }},
                           {"fail_status", Whole<S>{&S::fail_status, 400, 599}, sampling_engines,
                            "the HTTP status of such a refusal"}});
}

}  // namespace retrystorm
