// Several classes of clients in one scenario, and what the scenario is to one of them. A scenario
// that lists none has one: all of its clients are as [client] says.
#pragma once

#include "core/scenario.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace retrystorm {

struct Field;

inline constexpr std::size_t most_classes = 64;  // records give a class one byte

// The fields of [client] that all classes share; every other one each class sets for itself.
inline constexpr std::array<std::string_view, 10> fields_of_all_classes = {
    "client.rate",     "client.arrivals",     "client.duration", "client.stages",
    "client.recorded", "client.users",        "client.think",    "client.think_shape",
    "client.callers",  "client.max_in_flight"};

// True for a field that each class sets for itself.
bool is_set_by_class(const Field& field);

// At least one.
std::size_t class_count(const Scenario& scenario);

// The scenario as if all its clients were of class c, below class_count().
Scenario scenario_of_class(const Scenario& scenario, std::size_t c);

// Of the classes' timeouts.
Duration longest_timeout(const Scenario& scenario);
Duration shortest_timeout(const Scenario& scenario);

// The work that a class may ask for, in whole microseconds: what is wrong with this one, empty if
// nothing is.
std::string unfit_class_work(std::optional<Duration> work);

// Throws InvalidInput naming `where` for one class alone or too many, a share that is not above 0,
// a class with a schedule of its own, or one with work where work is recorded.
void validate_classes(const Scenario& scenario, std::string_view where);

// Throws InvalidInput, naming `what` cannot be had for several classes: for what is true of one.
void refuse_classes(const Scenario& scenario, std::string_view what);

}  // namespace retrystorm
