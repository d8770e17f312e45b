#include "core/trust_limits.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

TEST(TrustLimits, AreReadBackAsTheyWereWritten) {
  TrustLimits limits;
  double value = 0.125;
  for (const TrustLimit& one : trust_limits) limits.*one.value = value *= 2;
  const TrustLimits read = limits_from_json(to_json(limits));
  for (const TrustLimit& one : trust_limits) {
    EXPECT_EQ(read.*one.value, limits.*one.value) << one.name;
  }
}

TEST(TrustLimits, HaveTheirDefaultsWhereNothingIsWritten) {
  const TrustLimits read = limits_from_json({{"send_lag_max_ms", 30}, {"cpu_share", nullptr}});
  EXPECT_EQ(read.send_lag_max_ms, 30);
  EXPECT_EQ(read.cpu_share, TrustLimits{}.cpu_share);
  EXPECT_EQ(read.send_lag_p99_ms, TrustLimits{}.send_lag_p99_ms);
}

}  // namespace
}  // namespace retrystorm
