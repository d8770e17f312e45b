// The one registry of scenario fields. TOML, flags, matrix, validation, refusals and the reference
// page all come from it. A field is declared beside its policy (field.hpp says how); fields.cpp
// lists the policies.
#pragma once

#include "core/field.hpp"
#include "core/scenario.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace retrystorm {

// All fields, tables together, in the order of the reference page.
std::span<const Field> fields();

// The tables there are, in their order; the top is "".
std::vector<std::string_view> field_tables();

// The field of that path, or nullptr.
const Field* find_field(std::string_view path);

// Sets one field, and of [client] that of every class that has none of its own. Throws InvalidInput
// naming `where` (a file or "command line") and `shown_as` (the path or the flag).
void set_field(Scenario& scenario, const Field& field, const FieldValue& value,
               std::string_view where, std::string_view shown_as);

// A field that a source sets: the line of a file, or the command line, and its name there.
struct GivenField {
  const Field* field = nullptr;
  std::string where, shown_as;
};

// Sets a field of [client] for one class alone; the remedy for an unfit value or a field that all
// classes share, empty for a fit one.
std::string set_class_field(Scenario& scenario, std::size_t c, const Field& field,
                            const FieldValue& value);

// False for a value that says there is none of it ("none", an empty list): it replaces nothing.
bool says_something(const FieldValue& value);

// Throws InvalidInput where one source sets two fields of which each replaces the other
// (policy/arrivals.hpp).
void refuse_replaced(std::span<const GivenField> given);

// True for a field whose value is only what another one comes to: the rate and the duration of
// stages and of recorded arrivals, the mean of recorded work.
bool is_replaced(const Scenario& scenario, const Field& field);

// The value a flag's text stands for: lists are comma-separated, numbers become numbers.
// Throws InvalidInput.
FieldValue value_from_text(const Field& field, std::string_view text);

// The value as text, as a flag would take it.
std::string to_text(const FieldValue& value);

// True if the scenario draws anything: then one run is one sample, and a figure of it has a spread.
bool is_random(const Scenario& scenario);

// Who models the scenario's value of the field.
EngineSet modelled_by(const Field& field, const Scenario& scenario);

// The conditions between fields (settle below duration, a run of a size that can be counted);
// throws InvalidInput naming `where`.
void validate(const Scenario& scenario, std::string_view where);

// The fields as Markdown tables, one per table: the reference page.
std::string fields_markdown();

}  // namespace retrystorm
