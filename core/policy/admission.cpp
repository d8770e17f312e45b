#include "core/policy/admission.hpp"

#include "core/error.hpp"

namespace retrystorm {
namespace {

void require_positive(std::int64_t value, std::string_view field) {
  if (value < 1) throw InvalidInput("admission", field, "must be an integer, at least 1");
}

}  // namespace

AdmissionPolicy::AdmissionPolicy(const AdmissionLimits& limits, Wide start)
    : limits_(limits),
      full_(Wide{limits.capacity} * credits_per_token),
      credits_(full_),
      now_(start) {
  require_positive(limits.capacity, "capacity");
  require_positive(limits.tokens_per_second, "tokens_per_second");
  require_positive(limits.concurrency, "concurrency");
}

}  // namespace retrystorm
