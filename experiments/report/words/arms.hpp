// Which arms of a report a sentence tells of: how each went, and the plainest one of a kind.
#pragma once

#include "experiments/report/report.hpp"

#include <string>
#include <vector>

namespace retrystorm {

// How an arm went, by its settled window (or the whole run where that was not seen).
enum class Course : std::uint8_t {
  not_measured,  // nothing was measured
  fine,          // at least 99 % of the offered requests succeeded
  shed,          // the surplus was refused; hardly anything was served in vain
  strained,      // some of both
  collapsed,     // most completions were for clients that had left
};
Course course_of(const ArmReport& arm);

// Whoever was offered was answered at the first attempt.
bool all_answered(const Tally& tally);

// At least 99 % of the requests that ended in the whole run succeeded, the start included.
bool fine_over_the_whole(const Tally& tally);

// Requests of some arms, from their counts.
struct Answered {
  double offered = 0, succeeded = 0;
  bool all() const { return succeeded == offered; }
};
Answered answered_of(const std::vector<const ArmReport*>& arms);

std::vector<const ArmReport*> arms_with(const Report& report, Course course);
// “rate=1200 retries=0” and “rate=1200 retries=2”.
std::string names_of(const std::vector<const ArmReport*>& arms);
// The one to tell of: trusted, with fewest retries, at the lowest load; nullptr for none.
const ArmReport* plainest(const std::vector<const ArmReport*>& arms);

// The rates that tell how it went in the end: the settled ones, if that window was seen.
const Rates& telling(const Tally& tally);

// The arm whose course calls for a word on the queue; nullptr if everything passed or nothing was
// measured.
const ArmReport* subject_of(const Report& report);

}  // namespace retrystorm
