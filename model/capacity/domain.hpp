// The one way in which a formula refuses its arguments: a std::domain_error that names the
// function, the argument, its value and what it must be. Nothing here knows a formula.
#pragma once

#include <string_view>

namespace retrystorm::capacity {

// Throws std::domain_error "FUNCTION: ARGUMENT must MUST, is VALUE" unless `ok`.
void require(bool ok, std::string_view function, std::string_view argument, double value,
             std::string_view must);

// The two conditions that nearly every formula has. `positive`: finite and above 0.
void require_positive(std::string_view function, std::string_view argument, double value);
void require_at_least(std::string_view function, std::string_view argument, double value,
                      double least);

}  // namespace retrystorm::capacity
