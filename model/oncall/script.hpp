// An operator's script: a TOML list of (time, control, value), checked before the morning begins.
#pragma once

#include "model/oncall/action.hpp"
#include "model/oncall/scenario.hpp"

#include <string_view>
#include <vector>

namespace retrystorm::oncall {

// The [[action]] entries in the order of their times (those of one time in the order of the file),
// as minutes since the day's opening. Throws InvalidInput with file and line for an unknown
// control, an unfit value, a time that is none or not after the opening, and a control that is
// moved twice at one time.
std::vector<Action> script_from_toml(std::string_view text, std::string_view file, const Day& day);

}  // namespace retrystorm::oncall
