// Whether the settled figure of a measured arm stands: its windows have said yes (or no); here its
// continuation is asked, simulated in the world of the measured try. What does not stand is
// emptied, with the reason.
#pragma once

#include "experiments/evidence/calibrate.hpp"
#include "experiments/report/report.hpp"
#include "model/effort.hpp"

#include <string>

namespace retrystorm {

// Judges `arm.measured` and the repeats behind it against the calibrated scenario, carried on:
// agreement is 3 % of the offered rate or two standard errors. A continuation that
// costs too much, or is interrupted, agrees with nothing: no figure rests on what was not seen.
// Requires: arm.measured_try. Recorded arrivals have no continuation: their windows alone judge,
// and a note says so.
void judge_settled(ArmReport& arm, Database& database, const Calibration& calibration,
                   const Effort& effort = {});

// What an arm comes to whose continuation was not asked: its settled figure rests on nothing that
// was seen, and is emptied. Requires: arm.measured.
void leave_unjudged(ArmReport& arm, const std::string& reason);

// Empties the settled figures of the predictions beside a measurement that has not settled; those
// of engines without a run stay.
void empty_unsettled_predictions(ArmReport& arm);

// Empties the settled figures that nobody judged, those of a report of an earlier version: measured
// without a window, or predicted beside such a measurement or none.
void empty_unjudged(ArmReport& arm);

// "not settled within 6s: the queue still rises; simulated to settle at 12 s"; empty for an arm
// that has settled, or was not measured. "settled or not: not judged, ..." of such a report.
std::string unsettled_words(const ArmReport& arm);

}  // namespace retrystorm
