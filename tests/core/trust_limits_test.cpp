#include "core/trust_limits.hpp"

#include "core/json_reader.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

TrustLimits read(const boost::json::value& value) {
  return limits_from_json(JsonObject(value, "limits"));
}

TEST(TrustLimits, AreReadBackAsTheyWereWritten) {
  TrustLimits limits;
  double value = 0.125;
  for (const TrustLimit& one : trust_limits) limits.*one.value = value *= 2;
  const TrustLimits back = read(to_json(limits));
  for (const TrustLimit& one : trust_limits) {
    EXPECT_EQ(back.*one.value, limits.*one.value) << one.name;
  }
}

TEST(TrustLimits, HaveTheirDefaultsWhereNothingIsWritten) {
  const TrustLimits given = read({{"send_lag_max_ms", 30}, {"cpu_share", nullptr}});
  EXPECT_EQ(given.send_lag_max_ms, 30);
  EXPECT_EQ(given.cpu_share, TrustLimits{}.cpu_share);
  EXPECT_EQ(given.send_lag_p99_ms, TrustLimits{}.send_lag_p99_ms);
}

}  // namespace
}  // namespace retrystorm
