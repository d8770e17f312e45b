#include "experiments/report/predictions.hpp"

#include "core/fields.hpp"
#include "experiments/evidence/calibrate.hpp"
#include "experiments/report/settled_arms.hpp"
#include "model/engines.hpp"
#include "model/honours.hpp"
#include "model/simulate/simulate.hpp"

namespace retrystorm {
namespace {

// Seeds behind a band: its ends are the 2.5 and 97.5 percentiles.
constexpr int band_seeds = 20;

// By every engine that models the very scenario.
std::map<std::string, Tally> nominal(const Scenario& scenario) {
  std::map<std::string, Tally> answers;
  PredictOptions options;
  if (is_random(scenario)) options.seeds = band_seeds;
  for (const Predictor& predictor : predictors()) {
    if (!unmodelled(predictor.engine, scenario).empty()) continue;
    Tally tally = predict(predictor.engine, scenario, options);
    answers[tally.engine] = std::move(tally);
  }
  return answers;
}

}  // namespace

void add_predictions(Report& report, Database& database) {
  for (ArmReport& arm : report.arms) {
    arm.predicted.nominal = nominal(arm.scenario);
    if (!arm.measured_try) continue;
    Calibration c = calibrate(database, *arm.measured_try, arm.scenario);
    if (c.first_sends.empty()) continue;
    judge_settled(arm, database, c);
    // The same window as the measured one, which has settled, or else has no figure beside it.
    if (const Count from = arm.measured->settling.from_s) c.scenario.settle = from_seconds(*from);
    Replay sends{c.first_sends, {}};
    // Users of a closed loop send when they are answered, in a predicted run as in a real one.
    const Replay* own = arm.scenario.client.users ? nullptr : &sends;
    arm.predicted.calibrated["simulate"] = simulate_band(c.scenario, band_seeds, {own, c.noise});
    Replay all{c.first_sends, c.work};
    arm.predicted.replay = simulate_band(c.scenario, band_seeds, {&all, c.noise});
    // What ran for real may be more than is modelled, spinning work for one.
    const auto left_out = honour(Engine::simulate, c.scenario, true);
    arm.predicted.calibrated["simulate"].approximations = left_out;
    arm.predicted.replay->approximations = left_out;
    empty_unsettled_predictions(arm);
  }
}

}  // namespace retrystorm
