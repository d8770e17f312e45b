// Scenarios in TOML: reading says which field is wrong and where; writing is complete (defaults
// written out) and reads back equal.
#pragma once

#include "core/fields.hpp"
#include "core/toml_errors.hpp"

#include <string>
#include <string_view>

#include <toml++/toml.h>

namespace retrystorm {

// Parses TOML text; throws InvalidFile with file, line and column, and the line itself beneath.
toml::table parse_toml(std::string_view text, std::string_view file);

// A TOML node as a field's value; throws InvalidInput for a kind that no field takes.
FieldValue field_value(const toml::node& node, std::string_view file, std::string_view path);

// Sets the fields found in `root`'s scenario tables on `scenario`, and its classes of clients if it
// has [[class]]. Tables named in `others` are the caller's (experiment, matrix, arm); anything else
// unknown is an error, with the nearest name, as is an unfit value: `errors` has them all.
void read_scenario(Scenario& scenario, const toml::table& root, TomlErrors& errors,
                   std::span<const std::string_view> others = {});

// The same of a whole text that holds one scenario; throws InvalidFile of all errors.
void read_scenario(Scenario& scenario, std::string_view text, std::string_view file);

// A file holding one scenario: parsed, read over the defaults, its recordings read, and validated.
Scenario scenario_from_file(std::string_view path);

// All fields, in registry order, but those that others stand in place of; then a [[class]] for each
// class of clients, with what it does not share with [client].
std::string scenario_to_toml(const Scenario& scenario);

// The value as TOML text: quoted, listed.
std::string toml_literal(const FieldValue& value);

}  // namespace retrystorm
