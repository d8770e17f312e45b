#include "core/trust_limits.hpp"

#include "core/json_reader.hpp"

#include <boost/json.hpp>

namespace retrystorm {

boost::json::object to_json(const TrustLimits& limits) {
  boost::json::object object;
  for (const TrustLimit& one : trust_limits) {
    object[{one.name.data(), one.name.size()}] = limits.*one.value;
  }
  return object;
}

TrustLimits limits_from_json(const JsonObject& object) {
  TrustLimits limits;
  for (const TrustLimit& one : trust_limits) {
    double& value = limits.*one.value;
    value = object.number(one.name).value_or(value);
  }
  return limits;
}

}  // namespace retrystorm
