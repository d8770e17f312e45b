// What a run says in the end: each arm with what was published, predicted and measured of it. Made
// from judged tries; printed as JSON and as a table elsewhere.
#pragma once

#include "experiments/evidence/try.hpp"
#include "experiments/experiment/experiment.hpp"
#include "experiments/experiment/published.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

// A prediction that was not made: which ("nominal", "calibrated", "replay", "settled"), by which
// engine, and why.
struct NotPredicted {
  std::string prediction;
  std::string engine;
  std::string why;
};

// What the engines predict, by engine.
struct Predicted {
  std::map<std::string, Tally> nominal;
  std::map<std::string, Tally> calibrated;
  std::optional<Tally> replay;
  std::vector<NotPredicted> refused;  // beside the measurement, which stands as it is
};

// What the simulation predicts; nullptr if it was not asked.
const Tally* simulated(const std::map<std::string, Tally>& predictions);

struct ArmReport {
  std::string name;
  Scenario scenario;
  std::string status = "not_run";  // or that of a try
  bool trusted = false;
  std::vector<std::string> reasons;  // why not trusted
  std::optional<Published> published;
  std::optional<Tally> measured;  // the repeat with the median whole-run goodput, with the spread
                                  // over the trusted ones; of an arm that failed, what its ledgers
                                  // hold, and nothing where that is nothing
  std::optional<TryKey> measured_try;  // the try that `measured` is of
  Opening opening;                     // of the measured repeat
  std::vector<Tally> repeats;          // the try that counts for each repeat
  Predicted predicted;
  std::vector<Try> tries;  // all of them
};

struct Report {
  std::string experiment;  // its name
  std::string question;
  // An arm was not measured, or not to its end: the run was killed or interrupted, or a process of
  // the arm's died.
  bool partial = false;
  // What does not hold of the files that it was read from, or cannot be told of them.
  std::vector<std::string> notices;
  boost::json::object environment;
  std::vector<ArmReport> arms;
};

// Gathers the tries of an experiment's arms (in the order they were made).
Report make_report(const Experiment& experiment, const std::vector<Arm>& arms,
                   std::vector<Try> tries);

// "not predicted, nominal by fluid: would take ..." for each prediction that was not made.
std::vector<std::string> not_predicted_words(const ArmReport& arm);

// Whether predictions can be held against what was measured: they foretell the whole of a run, so
// not against what an interrupt or a kill has left of one.
bool comparable(const ArmReport& arm);

// exit_done if every arm is trusted, else exit_untrusted.
int exit_code_of(const Report& report);

boost::json::value to_json(const Report& report);
// Reads what to_json() wrote; throws InvalidInput naming `where`.
Report report_from_json(const boost::json::value& value, std::string_view where);

}  // namespace retrystorm
