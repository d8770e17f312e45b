// Small change of the sentences in report_words*.cpp: figures with their unit, lists, and the arms
// to tell of.
#pragma once

#include "experiments/report_words.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

// "1,200/s".
std::string rate_words(const Count& rate);
// "92 %"; "0.4 %" for small shares.
std::string share_words(double share);
// "1 arm", "1,234 arms".
std::string count_words(std::size_t n, std::string_view one, std::string_view many);
// "100 ms", "200 µs".
std::string duration_words(Duration duration);
// "a, b and c".
std::string listed(const std::vector<std::string>& items);

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

// The paragraphs.
std::string what_happened(const Report& report);
std::string why_it_happened(const Report& report);
std::string which_knob(const Report& report, const std::optional<Advice>& advice);
std::string whether_to_trust(const Report& report);

}  // namespace retrystorm
