// Which values of a scenario an engine does not model. Built on the registry (Field::engines) plus
// one table of what is particular: fields that cannot change an engine's answer, and values of an
// honoured field that it cannot take. So no engine ignores a field silently, and a new field is
// refused by the engines that do not list it as soon as it is set.
#pragma once

#include "core/fields.hpp"
#include "core/scenario.hpp"

#include <string>
#include <vector>

namespace retrystorm {

struct Unmodelled {
  std::string field;    // its path
  std::string value;    // as the user would write it
  std::string instead;  // what the engine takes in its place; empty if it can take nothing
  friend bool operator==(const Unmodelled&, const Unmodelled&) = default;
};

// What `engine` leaves out of `scenario`; empty if it answers the very scenario.
std::vector<Unmodelled> unmodelled(Engine engine, const Scenario& scenario);

// The engines that model the scenario's value of that field, or its classes of clients ("class").
std::vector<Engine> engines_that_model(const std::string& field, const Scenario& scenario);

// What every engine does first. Nothing unmodelled: nothing to say. Otherwise throws InvalidInput
// with field, value and the engines that can, or, with `approximate`, returns one sentence for each
// thing left out, for Tally::approximations. What nothing can stand in for is refused either way.
std::vector<std::string> honour(Engine engine, const Scenario& scenario, bool approximate);

}  // namespace retrystorm
