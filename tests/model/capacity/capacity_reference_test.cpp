// Every entry of queueing_reference.json that the capacity arithmetic covers, at its own tolerance.
#include "model/capacity/burn_rate.hpp"
#include "model/capacity/erlang_a.hpp"
#include "model/capacity/erlang_b.hpp"
#include "model/capacity/erlang_c.hpp"
#include "model/capacity/little.hpp"
#include "model/capacity/md1n.hpp"
#include "model/capacity/mdc.hpp"
#include "model/capacity/mdcn.hpp"
#include "model/capacity/mmc.hpp"
#include "model/capacity/mmcn.hpp"
#include "model/capacity/processor_sharing.hpp"
#include "model/capacity/retrial.hpp"
#include "model/capacity/sojourn.hpp"
#include "model/capacity/target_tracking.hpp"
#include "model/capacity/token_bucket.hpp"
#include "model/capacity/ttl_cache.hpp"
#include "tests/model/reference.hpp"

#include <charconv>

namespace retrystorm::capacity {
namespace {

using reference::entries_of;
using reference::Entry;
using reference::expect_near;
using reference::expect_value;

class Reference : public ::testing::TestWithParam<Entry> {
 protected:
  const Entry& e = GetParam();
};

#define REFERENCE_TEST(suite, prefix)                                                 \
  class suite : public Reference {};                                                  \
  INSTANTIATE_TEST_SUITE_P(Reference, suite, ::testing::ValuesIn(entries_of(prefix)), \
                           reference::test_name);                                     \
  TEST_P(suite, AgreesWithTheReference)

REFERENCE_TEST(ErlangB, "erlB_") {
  expect_value(e, "blocking", erlang_b(e.param("offered_erlangs"), e.whole("servers")));
}

REFERENCE_TEST(ErlangBPublished, "pub_erlB_") {
  expect_value(e, "blocking", erlang_b(e.param("lambda") / e.param("mu"), e.whole("servers")));
}

REFERENCE_TEST(ErlangC, "erlC_") {
  const double mu = e.param("mu");
  const double lambda = e.param("offered_erlangs") * mu;
  const auto c = e.whole("servers");
  expect_value(e, "P_wait", erlang_c(e.param("offered_erlangs"), c));
  expect_value(e, "EW", mean_wait_s(lambda, mu, c));
  expect_value(e, "P_W_gt_1", wait_tail(lambda, mu, c, 1));
  expect_value(e, "p99_wait", wait_quantile_s(lambda, mu, c, 0.99));
}

REFERENCE_TEST(ErlangCCompanion, "erlangC_") {
  const double lambda = e.param("lambda");  // per minute
  const double mu = e.param("mu");
  const auto n = e.whole("n");
  expect_value(e, "P_wait", erlang_c(lambda / mu, n));
  expect_value(e, "EW_sec", 60 * mean_wait_s(lambda, mu, n));
  expect_value(e, "E_queue", lambda * mean_wait_s(lambda, mu, n));
  expect_value(e, "p90_wait_sec", 60 * wait_quantile_s(lambda, mu, n, 0.9));
}

REFERENCE_TEST(SojournQuantile, "mmc_p99_") {
  const double lambda = e.param("lambda");
  const double mu = e.param("mu");
  const auto c = e.whole("c");
  expect_value(e, "p99_sojourn_s", sojourn_quantile_s(lambda, mu, c, 0.99));
  expect_value(e, "p99_wait_s", wait_quantile_s(lambda, mu, c, 0.99));
  expect_value(e, "erlang_c", erlang_c(lambda / mu, c));
}

REFERENCE_TEST(MMcPublished, "pub_mmc_") {
  const MMc m = mmc(e.param("lambda"), e.param("mu"), e.whole("c"));
  expect_value(e, "Lq", m.mean_queue);
  expect_value(e, "R", m.mean_sojourn_s);
}

REFERENCE_TEST(MMcProbabilities, "pub_ciw_") {
  for (std::int64_t n = 0; n <= 8; ++n) {
    expect_value(e, "p" + std::to_string(n),
                 mmc_probability(e.param("lambda"), e.param("mu"), e.whole("c"), n));
  }
}

REFERENCE_TEST(MMcNStationary, "mmcN_") {
  const double lambda = e.param("lambda");
  const double mu = e.param("mu");
  const auto c = e.whole("c");
  const double t = e.param("T");
  const MMcN m = mmcn(lambda, mu, c, e.whole("N_total"));
  expect_value(e, "p_block", m.p_block);
  expect_value(e, "E_in_system", m.mean_in_system);
  expect_value(e, "E_wait_accepted_s", m.mean_wait_accepted_s);
  expect_value(e, "E_sojourn_accepted_s", m.mean_sojourn_accepted_s);
  expect_value(e, "P_wait_gt0_accepted", m.p_wait_accepted);
  expect_value(e, "utilisation", m.utilisation);
  const double goodput = mmcn_goodput_per_s(m, lambda, mu, c, t);
  expect_value(e, "goodput_per_s", goodput);
  expect_value(e, "P_sojourn_le_T_given_accepted", goodput / (lambda * (1 - m.p_block)));
}

REFERENCE_TEST(MMcNPublished, "pub_mmcN_") {
  const double lambda = e.param("lambda");
  const MMcN m = mmcn(lambda, e.param("mu"), e.whole("c"), e.whole("N_total"));
  expect_value(e, "pK", m.p_block);
  if (e.has("p0")) expect_value(e, "p0", m.p.front());
  if (e.has("Q")) expect_value(e, "Q", m.mean_in_system);
  if (e.has("Wq")) expect_value(e, "Wq", m.mean_wait_accepted_s);
}

REFERENCE_TEST(MMcNVignette, "simmer_") {
  const MMcN m = mmcn(e.param("lambda"), e.param("mu"), e.whole("c"), e.whole("N_total"));
  expect_value(e, "E_in_system", m.mean_in_system);
  expect_value(e, "p_block", m.p_block);
}

REFERENCE_TEST(Little, "little") {
  const MMcN m = mmcn(1000, 50, 20, 120);
  expect_value(e, "L", m.mean_in_system);
  expect_value(e, "lambda_eff", m.throughput_per_s);
  expect_value(e, "R_s", mean_time_s(m.mean_in_system, m.throughput_per_s));
  expect_value(e, "L", mean_number(m.throughput_per_s, m.mean_sojourn_accepted_s));
}

// P(W > t) for each "t": value of an object.
void expect_tails(const Entry& e, const char* name, const MDc& q) {
  for (const auto& [time, value] : e.values.at(name).as_object()) {
    const double reference = value.to_number<double>();
    const double mine = q.wait_tail(std::stod(std::string(time)));
    expect_near(e, name + (" " + std::string(time)), mine, reference);
  }
}

REFERENCE_TEST(MDcInfinite, "mdc_") {
  const auto c = e.whole("c");
  const double lambda = e.param("rho") * static_cast<double>(c);
  const MDc q(lambda, 1, c);
  // "EW and P_delay good to 1e-10 relative", says the entry's note.
  EXPECT_NEAR(q.p_wait(), e.value("P_delay"), 2e-10 * e.value("P_delay"));
  EXPECT_NEAR(q.mean_wait_s(), e.value("EW_over_D"), 2e-10 * e.value("EW_over_D"));
  EXPECT_NEAR(mdc_mean_wait_by_spitzer_s(lambda, 1, c), e.value("EW_over_D"),
              2e-10 * e.value("EW_over_D"));
  EXPECT_NEAR(q.decay(), e.value("tail_decay_tau_per_customer"), 1e-9);
  expect_tails(e, "P_W_gt", q);
}

REFERENCE_TEST(MDcInfiniteMilliseconds, "mdc20_") {
  const double s = e.param("S");
  const MDc q(e.param("lambda"), s, e.whole("c"));
  expect_value(e, "P_delay", q.p_wait());
  expect_value(e, "EW_s", q.mean_wait_s());
  expect_tails(e, "P_W_gt_s", q);
  expect_value(e, "P_sojourn_le_100ms", 1 - q.wait_tail(0.1 - s));
  expect_value(e, "p99_wait_s", q.wait_quantile_s(0.99));
  expect_value(e, "p99_sojourn_s", q.wait_quantile_s(0.99) + s);
}

REFERENCE_TEST(MD1NStationary, "md1N_") {
  const MD1N m = md1n(e.param("rho"), e.param("D"), e.whole("N_total"));
  expect_value(e, "p_block", m.p_block);
  expect_value(e, "p0", m.p.front());
  expect_value(e, "E_in_system", m.mean_in_system);
  expect_value(e, "E_wait_accepted", m.mean_wait_accepted_s);
}

REFERENCE_TEST(TokenBucket, "tokenbucket_") {
  expect_value(e, "reject_probability",
               token_bucket_refused(e.param("lambda"), e.param("rate"), e.whole("burst")));
}

REFERENCE_TEST(MDcc, "mdcc_") {
  const auto c = e.whole("c");
  const double erlangs = e.param("erlangs");
  expect_value(e, "p_block", erlang_b(erlangs, c));
  expect_value(e, "p_block", mdcn(erlangs, 1, c, e.whole("N_total")).p_block);
}

// An approximation against simulated truth: in the bounds that mdcn.hpp states, beside four
// standard errors of the truth.
REFERENCE_TEST(MDcNStationary, "mdcN_") {
  const double lambda = e.param("lambda");
  const double d = e.param("D");
  const auto c = e.whole("c");
  const auto room = e.whole("N_total");
  const double rho = lambda * d / static_cast<double>(c);
  const MDcN m = mdcn(lambda, d, c, room);
  const auto se = [&](const char* name) {
    const auto& value = e.values.at(name).as_object();
    return value.at("se").is_null() ? 1e-7 : value.at("se").to_number<double>();
  };
  const auto truth = [&](const char* name) { return e.value(name); };

  const double blocked = truth("p_block");
  if (blocked == 0) {
    const auto& bracket = e.values.at("p_block").at("analytic_bracket").as_array();
    EXPECT_GT(m.p_block, bracket[0].to_number<double>());
    EXPECT_LT(m.p_block, bracket[1].to_number<double>());
  } else {
    const double known = rho < 1.02 ? 0.01 : 0.003;
    EXPECT_NEAR(m.p_block, blocked, known * blocked + 4 * se("p_block"));
  }
  EXPECT_NEAR(m.mean_wait_accepted_s, truth("E_wait_accepted"),
              0.01 * truth("E_wait_accepted") + 4 * se("E_wait_accepted"));
  EXPECT_NEAR(m.p_no_wait_accepted, truth("P_wait_0_accepted"),
              0.003 + 4 * se("P_wait_0_accepted"));
  EXPECT_NEAR(m.mean_in_system, truth("E_in_system_seen"),
              0.005 * truth("E_in_system_seen") + 4 * se("E_in_system_seen"));
  const auto critical = static_cast<std::size_t>(e.whole("ncrit"));
  double below = 0;
  for (std::size_t n = 0; n < std::min(critical, m.p.size() - 1); ++n) below += m.p[n];
  EXPECT_NEAR(below, truth("P_found_in_system_lt_ncrit"),
              0.005 + 4 * se("P_found_in_system_lt_ncrit"));
  // The wait at wcrit, a whole number of work times, is the same event seen from the arrival.
  const auto late = fixed_work_late_probabilities(d, c, room, e.param("wcrit") + d);
  double in_time = 0;
  for (std::size_t n = 0; n < late.size(); ++n) in_time += m.p[n] * (1 - late[n]);
  EXPECT_NEAR(in_time / (1 - m.p_block), truth("P_wait_le_wcrit_accepted"),
              0.005 + 4 * se("P_wait_le_wcrit_accepted"));
}

REFERENCE_TEST(ErlangAPatience, "erlangA_") {
  const ErlangA m(e.param("lambda"), e.param("mu"), e.whole("n"), e.param("theta"));
  expect_value(e, "P_wait", m.p_wait());
  expect_value(e, "P_abandon", m.p_abandon());
  expect_value(e, "E_queue", m.mean_queue());
  expect_value(e, "occupancy", m.occupancy());
  if (e.has("EW_all_s")) expect_value(e, "EW_all_s", m.mean_wait_s());
  if (!e.has("EW_all_sec")) return;
  // This one is in minutes.
  expect_value(e, "EW_all_sec", 60 * m.mean_wait_s());
  for (const int seconds : {5, 10, 20, 30}) {
    expect_value(e, "P_W_gt_" + std::to_string(seconds) + "s", m.wait_tail(seconds / 60.0));
  }
  expect_value(e, "p90_wait_sec", 60 * m.wait_quantile_s(0.9));
}

REFERENCE_TEST(RetrialQueue, "retrial_") {
  const auto c = e.whole("c");
  const double load = e.param("rho") * static_cast<double>(c);
  const Retrial r = retrial_queue(load, 1, c, e.param("theta"));
  expect_value(e, "P_block_primary", r.p_block);
  expect_value(e, "E_orbit", r.mean_orbit);
  EXPECT_NEAR(r.mean_busy, load, 1e-9 * load);
}

REFERENCE_TEST(TtlCache, "ttl_cache") {
  const auto& pairs = e.params.at("r_T_pairs").as_array();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double r = pairs[i].at(0).to_number<double>();
    const double t = pairs[i].at(1).to_number<double>();
    expect_near(e, "hit_ratio", ttl_hit_ratio(r, t),
                e.values.at("hit_ratio").at(i).to_number<double>());
    expect_near(e, "origin_rate", ttl_origin_per_s(r, t),
                e.values.at("origin_rate").at(i).to_number<double>());
  }
}

REFERENCE_TEST(SharedQueryTime, "db_ps") {
  const auto& rho = e.params.at("rho").as_array();
  for (std::size_t i = 0; i < rho.size(); ++i) {
    expect_near(e, "mean_s", shared_query_time_s(e.param("s"), rho[i].to_number<double>()),
                e.values.at("mean_s").at(i).to_number<double>());
  }
}

REFERENCE_TEST(BurnRate, "burn") {
  const auto& windows = e.params.at("window_h").as_array();
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const double burn = burn_rate(e.params.at("budget_fraction").at(i).to_number<double>(),
                                  windows[i].to_number<double>());
    expect_near(e, "burn_rate", burn, e.values.at("burn_rate").at(i).to_number<double>());
    expect_near(e, "error_ratio", errors_of_burn(burn, 0.999),
                e.values.at("error_ratio_for_slo_99_9").at(i).to_number<double>());
    expect_near(e, "hours", hours_to_exhaust(burn),
                e.values.at("hours_to_exhaust").at(i).to_number<double>());
  }
}

REFERENCE_TEST(TargetTracking, "hpa") {
  const auto& cases = e.params.at("cases").as_array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto desired =
        desired_instances(cases[i].at(0).as_int64(), cases[i].at(1).to_number<double>(),
                          cases[i].at(2).to_number<double>());
    expect_near(e, "desired", static_cast<double>(desired),
                e.values.at("desired").at(i).to_number<double>());
  }
}

}  // namespace
}  // namespace retrystorm::capacity
