// Which of the known names a mistyped one was meant to be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

// How many letters must be put in, left out, changed or swapped with their neighbour to make `b` of
// `a`; for names of a few dozen letters.
std::size_t letters_apart(std::string_view a, std::string_view b);

// What is that many letters apart, or more, was meant otherwise. Of a short name fewer letters may
// be wrong: `name` is not `rate`.
std::size_t too_far_apart(std::string_view name);

// The nearest of `names`, the first of several; else the first that begins with `given`, if that
// has three letters. Empty if nothing is near.
std::string nearest(std::string_view given, const std::vector<std::string>& names);

}  // namespace retrystorm
