// What must hold of a case: an invalid one is refused in one line, a valid one is answered by every
// engine that models it, with books that balance, the same bytes when asked again, and no two exact
// engines parting.
#pragma once

#include "tests/campaign/case.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace retrystorm::campaign {

struct Fault {
  std::string kind;  // what to look for again while shrinking: "books simulate"
  std::string text;
};

// How much was tried, for the summary.
struct Tried {
  std::uint64_t cases = 0, refused = 0, answered = 0, answers = 0, compared = 0, unaffordable = 0,
                by_program = 0;
};

struct Judgement {
  bool by_program = false;  // also through the real program, as a user would
};

// Everything that is wrong; empty for a case that passes.
std::vector<Fault> judge(const Case& c, const Judgement& how, Tried& tried);

}  // namespace retrystorm::campaign
