#include "core/policy/retry.hpp"

#include "core/field_list.hpp"
#include "core/field_tables.hpp"

namespace retrystorm {
namespace {

constexpr std::int64_t lowest_status = 300, highest_status = 599;

std::string unfit_status(std::string_view text) {
  const auto status = parse_integer(text);
  if (status && *status >= lowest_status && *status <= highest_status) return {};
  return fmt::format("must be statuses of HTTP, from {} to {}", lowest_status, highest_status);
}

}  // namespace

RetryPolicy::RetryPolicy(const ClientSettings& c)
    : retries_(static_cast<std::uint32_t>(c.retries)),
      retry_on_(c.retry_on),
      retry_after_(c.retry_after),
      retry_after_max_(c.retry_after_max.value_or(Duration::max())),
      deadline_(c.deadline.value_or(no_deadline)) {
  for (const std::string& status : c.retry_statuses) {
    statuses_.set(static_cast<std::size_t>(parse_integer(status).value()));
  }
}

std::optional<std::chrono::seconds> sent_retry_after(const ServiceSettings& service) {
  if (!service.send_retry_after) return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(*service.send_retry_after);
}

void declare_retry(FieldList& list) {
  using C = ClientSettings;
  using namespace std::chrono_literals;
  list.add(
      client_table,
      {{"retries", Whole<C>{&C::retries, 0, 1000}, every_engine, "extra attempts per request"},
       {"retry_on", Outcomes<C>{&C::retry_on}, every_engine,
        "outcomes of an attempt after which it is retried"},
       {"retry_statuses",
        Texts<C>{&C::retry_statuses, "statuses of HTTP, from 300 to 599", unfit_status},
        sampling_engines, "single statuses after which an attempt is retried, too"},
       {"deadline", LengthOr<C>{&C::deadline, "none", "from 1us to 24h, or none", 1us, 24h},
        sampling_engines, "how long a request may take from its first send, all attempts"},
       {"retry_after", OneOf<C, RetryAfter>{&C::retry_after, {"ignore", "honour", "exact"}},
        sampling_engines, "what a reply's Retry-After is to the delay: nothing, the least, all"},
       {"retry_after_max",
        LengthOr<C>{&C::retry_after_max, "none", "from 0ms to 24h, or none", 0ms, 24h},
        sampling_engines, "a Retry-After that asks for more counts as this much"}});
  using S = ServiceSettings;
  list.add(
      service_table,
      {{"send_retry_after",
        LengthOr<S>{&S::send_retry_after, "none", "from 0ms to 24h, or none", 0ms, 24h},
        sampling_engines, "what the Retry-After of a 503 says, up to whole seconds, or none"}});
}

}  // namespace retrystorm
