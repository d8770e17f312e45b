// Every entry of queueing_reference.json on the transient M/M/c/N, at its own tolerance.
#include "model/capacity/sojourn.hpp"
#include "model/markov/transient.hpp"
#include "tests/model/reference.hpp"

#include <cmath>

namespace retrystorm {
namespace {

using reference::entries_of;
using reference::Entry;
using reference::expect_near;
using reference::expect_value;

class TransientReference : public ::testing::TestWithParam<Entry> {
 protected:
  const Entry& e = GetParam();
};

class TransientFromEmpty : public TransientReference {};
INSTANTIATE_TEST_SUITE_P(Reference, TransientFromEmpty, ::testing::ValuesIn(entries_of("tr_mmcN_")),
                         reference::test_name);

TEST_P(TransientFromEmpty, AgreesWithTheReference) {
  const double lambda = e.param("lambda");
  const double mu = e.param("mu");
  QueueInTime q(mu, e.whole("c"), e.whole("N_total"), 0);
  q.advance(e.param("t"), lambda);
  expect_value(e, "E_in_system", q.mean_in_system());
  expect_value(e, "p0", q.law().front());
  // The reference cut its Poisson sums at 1e-14 of the mass. That took up to 2e-8 off values below
  // that, and up to 1 % off the very smallest: the sum carried to all digits for lambda = 800 gives
  // 1.777155666e-23 at t = 0.1 and 7.9439e-69 at t = 0.02.
  const double full = e.value("pN");
  if (full > 1e-14) {
    expect_value(e, "pN", q.law().back());
  } else {
    EXPECT_NEAR(q.law().back(), full, full * (full > 1e-45 ? 1e-7 : 0.01));
  }
  expect_near(e, "cum_completions", q.completions(), e.value("cum_completions"));
  // "0.0" stands for what is below a billionth of a request.
  const double rejected = lambda * q.seconds_full();
  EXPECT_NEAR(rejected, e.value("cum_rejected"), 1e-8 * rejected + 1e-9);
  const auto late =
      capacity::late_probabilities(mu, e.whole("c"), e.whole("N_total"), e.param("T"));
  double will_succeed = 0;
  for (std::size_t n = 0; n < late.size(); ++n) will_succeed += (1 - late[n]) * q.integral()[n];
  expect_value(e, "cum_sent_that_will_succeed", lambda * will_succeed);
}

class TransientFromFull : public TransientReference {};
INSTANTIATE_TEST_SUITE_P(Reference, TransientFromFull,
                         ::testing::ValuesIn(entries_of("tr_mmcN_full_")), reference::test_name);

TEST_P(TransientFromFull, AgreesWithTheReference) {
  QueueInTime q(e.param("mu"), e.whole("c"), e.whole("N_total"), e.whole("start"));
  q.advance(e.param("t"), e.param("lambda"));
  expect_value(e, "E_in_system", q.mean_in_system());
  expect_value(e, "cum_rejected", e.param("lambda") * q.seconds_full());
}

class TransientOfOneServer : public TransientReference {};
INSTANTIATE_TEST_SUITE_P(Reference, TransientOfOneServer,
                         ::testing::ValuesIn(entries_of("tr_mm1_")), reference::test_name);

TEST_P(TransientOfOneServer, AgreesWithTheReference) {
  QueueInTime q(e.param("mu"), 1, 1500, 0);
  q.advance(e.param("t"), e.param("lambda"));
  expect_value(e, "P0", q.law().front());
  expect_value(e, "E_in_system", q.mean_in_system());
}

class TransientOfTwoServers : public TransientReference {};
INSTANTIATE_TEST_SUITE_P(Reference, TransientOfTwoServers,
                         ::testing::ValuesIn(entries_of("tr_mm25_")), reference::test_name);

TEST_P(TransientOfTwoServers, AgreesWithTheReference) {
  QueueInTime q(e.param("mu"), e.whole("c"), e.whole("N_total"), 0);
  q.advance(e.param("t"), e.param("lambda"));
  for (std::size_t n = 0; n <= 5; ++n) expect_value(e, "p" + std::to_string(n), q.law()[n]);
}

}  // namespace
}  // namespace retrystorm
