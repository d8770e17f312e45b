// Which rows of the table of requests a policy kept back, as against a shortage of the generator's
// own: the one place where SQL asks for the kind of a reason (core/reason.hpp).
#pragma once

#include <string>

namespace retrystorm {

// An SQL expression over the columns `outcome` and `reason`. Without a reason it is a shortage:
// ledgers that have none knew no other.
std::string unsent_by_policy_sql();

}  // namespace retrystorm
