#include "experiments/report/predictions.hpp"

#include "core/error.hpp"
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

// The predictions of one arm. What an engine refuses, or costs too much, or an interrupt ends, is
// noted beside the measurement: that stands without it.
class ArmPredictions {
 public:
  ArmPredictions(ArmReport& arm, const Effort& effort) : arm_(arm), effort_(effort) {}

  // By every engine that models the very scenario.
  void nominal() {
    PredictOptions options;
    options.effort = effort_;
    if (is_random(arm_.scenario)) options.seeds = band_seeds;
    for (const Predictor& predictor : predictors()) {
      const std::string engine(engine_names[static_cast<std::size_t>(predictor.engine)]);
      const auto strange = unmodelled(predictor.engine, arm_.scenario);
      // That a closed form does not model a scenario is usual, that nothing follows it is news.
      if (!strange.empty() && predictor.engine != Engine::simulate) continue;
      note("nominal", engine, [&] {
        arm_.predicted.nominal[engine] = predict(predictor.engine, arm_.scenario, options);
      });
    }
  }

  void calibrated(Database& database) {
    if (effort_.stop.asked()) {
      note("calibrated", "simulate", [] { throw Interrupted(); });
      leave_unjudged(arm_, "the run was interrupted");
      empty_unsettled_predictions(arm_);
      return;
    }
    Calibration c = calibrate(database, *arm_.measured_try, arm_.scenario);
    if (c.first_sends.empty()) return;
    judge_settled(arm_, database, c, effort_);
    // The same window as the measured one, which has settled, or else has no figure beside it.
    if (const Count from = arm_.measured->settling.from_s) c.scenario.settle = from_seconds(*from);
    // What ran for real may be more than is modelled, spinning work for one.
    note("calibrated", "simulate", [&] {
      const auto left_out = honour(Engine::simulate, c.scenario, true);
      // Users of a closed loop send when they are answered, in a predicted run as in a real one.
      Replay sends;
      if (!c.scenario.client.users) sends.first_sends = c.first_sends;
      Tally tally = band(c, sends);
      tally.approximations = left_out;
      arm_.predicted.calibrated["simulate"] = std::move(tally);
    });
    note("replay", "simulate", [&] {
      const auto left_out = honour(Engine::simulate, c.scenario, true);
      const Replay all{c.first_sends, c.work};
      Tally tally = band(c, all);
      tally.approximations = left_out;
      arm_.predicted.replay = std::move(tally);
    });
    empty_unsettled_predictions(arm_);
  }

 private:
  template <typename F>
  void note(const std::string& prediction, const std::string& engine, F&& f) {
    try {
      f();
    } catch (const InvalidInput& error) {
      arm_.predicted.refused.push_back({prediction, engine, error.what()});
    } catch (const Interrupted&) {
      arm_.predicted.refused.push_back({prediction, engine, "the run was interrupted"});
    }
  }

  Tally band(const Calibration& c, const Replay& replay) const {
    require_affordable("engine simulate",
                       band_seeds * simulate_cost(c.scenario, attempts_at_most(c.scenario)),
                       effort_);
    Meter meter("engine simulate", effort_);
    return simulate_band(c.scenario, band_seeds, {&replay, c.noise, &meter});
  }

  ArmReport& arm_;
  const Effort& effort_;
};

}  // namespace

void add_predictions(Report& report, Database& database, const Effort& effort) {
  for (ArmReport& arm : report.arms) {
    ArmPredictions predictions(arm, effort);
    predictions.nominal();
    if (arm.measured_try) predictions.calibrated(database);
  }
}

}  // namespace retrystorm
