// Where the file of an experiment is that the command line names.
#pragma once

#include <string>

namespace retrystorm {

// PREFIX/share/retrystorm/scenarios, for a program in PREFIX/bin. It may not be there.
std::string installed_scenarios();

// The file as it is named; or else, for a bare name, the one of that name in `installed`. Throws
// InvalidInput if it is in neither place; what is wrong with a file that is there is for its reader
// to say.
std::string experiment_path(const std::string& given, const std::string& installed);

}  // namespace retrystorm
