// The one registry of scenario fields. TOML, flags, matrix, validation, refusals and the reference
// page all come from it: a new field is one entry in fields.cpp (and its member in scenario.hpp).
#pragma once

#include "core/scenario.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace retrystorm {

// A field's value as TOML and JSON know it. Durations, choices and words such as "auto" are
// strings.
using FieldValue = std::variant<std::int64_t, double, std::string, std::vector<std::string>>;

// The engines that answer a scenario. A field lists those that honour it.
enum class Engine : std::uint8_t { testbed, simulate, fluid, stationary, markov };
inline constexpr std::array<std::string_view, 5> engine_names = {"testbed", "simulate", "fluid",
                                                                 "stationary", "markov"};
using EngineSet = std::uint32_t;
constexpr EngineSet engine_bit(Engine e) {
  return 1U << static_cast<unsigned>(e);
}

struct Field {
  std::string_view table;  // empty for the top
  std::string_view name;
  std::string_view type;   // "integer", "number", "rate", "duration", "choice" or "set"
  std::string_view range;  // in words, for help and errors
  std::string_view help;   // one line
  EngineSet engines;       // who honours it; the others refuse a value that would change the answer
  std::function<FieldValue(const Scenario&)> get;
  // Throws std::string (the remedy) when the value is unfit; set_field() adds where and which
  // field.
  std::function<void(Scenario&, const FieldValue&)> set;

  // "client.rate", or "seed" at the top: its name in matrices and messages.
  std::string path() const;
  // "--round-trip".
  std::string flag() const;
};

// All fields, tables together, in the order of the reference page.
std::span<const Field> fields();

// The field of that path, or nullptr.
const Field* find_field(std::string_view path);

// Sets one field; throws InvalidInput naming `where` (a file or "command line") and `shown_as` (the
// path or the flag).
void set_field(Scenario& scenario, const Field& field, const FieldValue& value,
               std::string_view where, std::string_view shown_as);

// The value a flag's text stands for: lists are comma-separated, numbers become numbers.
// Throws InvalidInput.
FieldValue value_from_text(const Field& field, std::string_view text);

// The value as text, as a flag would take it.
std::string to_text(const FieldValue& value);

// The conditions between fields (settle below duration, a run of a size that can be counted);
// throws InvalidInput naming `where`.
void validate(const Scenario& scenario, std::string_view where);

// The fields as Markdown tables, one per table: the reference page.
std::string fields_markdown();

}  // namespace retrystorm
