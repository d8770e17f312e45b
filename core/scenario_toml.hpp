// Scenarios in TOML: reading says which field is wrong and where; writing is complete (defaults
// written out) and reads back equal.
#pragma once

#include "core/fields.hpp"

#include <string>
#include <string_view>

#include <toml++/toml.h>

namespace retrystorm {

// Parses TOML text; throws InvalidInput with file, line and column.
toml::table parse_toml(std::string_view text, std::string_view file);

// A TOML node as a field's value; throws InvalidInput for a kind that no field takes.
FieldValue field_value(const toml::node& node, std::string_view file, std::string_view path);

// Sets the fields found in `root`'s scenario tables on `scenario`, and its classes of clients if it
// has [[class]]. Tables named in `others` are the
// caller's (experiment, matrix, arm); anything else unknown is an InvalidInput with the nearest
// name.
void read_scenario(Scenario& scenario, const toml::table& root, std::string_view file,
                   std::span<const std::string_view> others = {});

// A file holding one scenario: parsed, read over the defaults and validated.
Scenario scenario_from_file(std::string_view path);

// All fields, in registry order, but those that others stand in place of; then a [[class]] for each
// class of clients, with what it does not share with [client].
std::string scenario_to_toml(const Scenario& scenario);

// The value as TOML text: quoted, listed.
std::string toml_literal(const FieldValue& value);

}  // namespace retrystorm
