// Which revision of the source the program was built from. Compiled into the program alone: each
// commit changes it, and would otherwise link every test anew.
#pragma once

#include <string>

namespace retrystorm {

// "retrystorm 0.1.0 (revision 1a2b3c4)": what git describes, with -dirty where the tree had changes
// when it was configured; "unknown" without git, as from a tarball.
std::string version_line();

}  // namespace retrystorm
