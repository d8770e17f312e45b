// A field by the name a person gave it: found, or refused with the name that was meant.
#pragma once

#include "core/field.hpp"

#include <string_view>

namespace retrystorm {

// The field of this path ("client.rate"). Throws InvalidInput with `where` and the nearest path; a
// field's bare name is near too: `rate` at the top of a file means client.rate.
const Field& known_field(std::string_view where, std::string_view path);

// The same for a person who types: a bare name is the one field that has it, `rate` client.rate.
const Field& meant_field(std::string_view where, std::string_view name);

}  // namespace retrystorm
