// Random scenarios over every field that the registry knows: which fields are set, and to what. It
// walks the registry, so a field added tomorrow is drawn without a word here.
#pragma once

#include "core/field.hpp"
#include "tests/campaign/case.hpp"
#include "tests/campaign/dice.hpp"

#include <cstdint>
#include <optional>

namespace retrystorm::campaign {

// The least and the largest value of a field of numbers, as its range says it; durations in
// nanoseconds. Nothing where the range names no number: choices, sets, a bound that is another
// field's value.
struct Bounds {
  double low = 0;
  std::optional<double> high;
};
std::optional<Bounds> bounds_of(const Field& field);

// The value as TOML for a number within the field's kind: rounded, with its unit.
std::string literal(const Field& field, double value);

// Case `number` of a campaign: most fields near their defaults, some anywhere in their range, some
// at its ends; sizes log-uniform. May contradict itself (validate() then refuses it).
Case draw(std::uint64_t seed, std::uint64_t number);

// The same for a run over loopback: a few times the defaults, cut to two seconds, a second of
// draining, and a load that a busy machine can offer.
Case draw_live(std::uint64_t seed, std::uint64_t number);

// Leaves out what the testbed does not model; for runs over loopback.
void keep_what_runs(Case& c);

}  // namespace retrystorm::campaign
