// How a field of a scenario is declared: beside its policy, as one line of data that names the
// member, its bounds, who models it and what it means. What is made of it (TOML, flags, matrix,
// validation, refusals, the reference page) stands in fields.hpp.
#pragma once

#include "core/engine.hpp"
#include "core/held.hpp"
#include "core/outcome.hpp"
#include "core/units.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace retrystorm {

struct Scenario;

// A field's value as TOML and JSON know it. Durations, choices and words such as "auto" are
// strings.
using FieldValue = std::variant<std::int64_t, double, std::string, std::vector<std::string>>;

struct Field {
  std::string_view table;  // empty for the top
  std::string_view name;
  std::string_view
      type;           // "integer", "number", "rate", "duration", "choice", "set", "texts" or "file"
  std::string range;  // in words, for help and errors
  std::string_view help;  // one line
  EngineSet engines = 0;  // who honours it; the others refuse a value that would change the answer
  std::vector<std::string> words;  // of a choice or a set: those it may take
  // False where a value other than the default is still the published bench: such a run may be
  // compared with published numbers.
  bool departs = true;
  // Whether the scenario's value makes a run random; null: no value does.
  std::function<bool(const Scenario&)> draws;
  // Who models the scenario's value, where that depends on it; null: `engines` do.
  std::function<EngineSet(const Scenario&)> modelled_by;
  std::function<FieldValue(const Scenario&)> get;
  // The remedy for an unfit value, which changes nothing; empty for a fit one.
  std::function<std::string(Scenario&, const FieldValue&)> set;

  // "client.rate", or "seed" at the top: its name in matrices and messages.
  std::string path() const;
  // "--round-trip".
  std::string flag() const;
};

// ---- the members that a field can be, with their bounds ----

template <typename T>
struct Whole {
  std::int64_t T::*member;
  std::int64_t low, high;
};
// A whole number, or a word for none ("auto").
template <typename T>
struct WholeOr {
  std::optional<std::int64_t> T::*member;
  std::string_view word, note;  // of the word: what it stands for
  std::int64_t low, high;
};
template <typename T>
struct Number {
  double T::*member;
  double low, high;
};
// Per second.
template <typename T>
struct Rate {
  double T::*member;
  double low, high;
};
template <typename T>
struct Length {
  Duration T::*member;
  Duration low, high;
};
template <typename T>
struct LengthOr {
  std::optional<Duration> T::*member;
  std::string_view word;
  std::string_view range;  // in words
  Duration low, high;
};
// One of an enumeration's names, in the order of its values.
template <typename T, typename Enum>
struct OneOf {
  Enum T::*member;
  std::vector<std::string_view> names;
};
template <typename T>
struct Outcomes {
  OutcomeSet T::*member;
};
// A list of texts; `unfit` says what is wrong with one of them, empty for a fit one.
template <typename T>
struct Texts {
  std::vector<std::string> T::*member;
  std::string_view range;
  std::string (*unfit)(std::string_view text);
};

// Anything else, read and written by functions of its own; `type` is one of Field::type.
template <typename T>
struct Custom {
  std::string_view type, range;
  FieldValue (*get)(const T&);
  std::string (*set)(T&, const FieldValue&);
};

// How a member is read and written: what the kinds above come to.
template <typename T>
struct Member {
  std::string_view type;
  std::string range;
  std::vector<std::string> words;
  std::function<FieldValue(const T&)> get;
  std::function<std::string(T&, const FieldValue&)> set;

  Member(Whole<T> m);
  Member(WholeOr<T> m);
  Member(Number<T> m);
  Member(Rate<T> m);
  Member(Length<T> m);
  Member(LengthOr<T> m);
  template <typename Enum>
  Member(OneOf<T, Enum> m);
  Member(Outcomes<T> m);
  Member(Texts<T> m);
  Member(Custom<T> m);
};

// One field of a settings struct T.
template <typename T>
struct FieldOf {
  using Whole = retrystorm::Whole<T>;
  using Number = retrystorm::Number<T>;
  using Length = retrystorm::Length<T>;
  template <typename Enum>
  using OneOf = retrystorm::OneOf<T, Enum>;

  std::string_view name;
  Member<T> member;
  EngineSet engines;
  std::string_view help;
  bool departs = true;
  bool (*draws)(const T&) = nullptr;
};

// One table: its name, and where its settings stand in a scenario (field_tables.hpp has them all).
template <typename T>
struct FieldTable {
  std::string_view name;
  T& (*in)(Scenario&);
};

// The fields as they are declared, table by table.
class FieldList {
 public:
  template <typename T>
  void add(const FieldTable<T>& table, std::vector<FieldOf<T>> settings) {
    for (FieldOf<T>& s : settings) add_one<T>(table.name, in_table(table), std::move(s));
  }

  // A choice and the settings of its alternatives, which matter only where they are chosen.
  // C is a Choice (choice.hpp).
  template <typename T, typename C>
  void add_choice(const FieldTable<T>& table, std::string_view name, Held<C> T::*member,
                  std::string_view help);

  std::vector<Field> take() { return std::move(fields_); }

 private:
  // Where a settings struct stands in a scenario: to be read, and to be changed by what is passed.
  template <typename T>
  struct In {
    std::function<const T&(const Scenario&)> of;
    std::function<std::string(Scenario&, const std::function<std::string(T&)>&)> change;
  };
  template <typename T>
  static In<T> in_table(const FieldTable<T>& table);
  template <typename T>
  Field& add_one(std::string_view table, const In<T>& in, FieldOf<T> setting);
  template <typename T, typename C>
  void add_choice_itself(std::string_view table, const In<T>& in, std::string_view name,
                         Held<C> T::*member, std::string_view help);
  template <typename T, typename C, typename Alternative>
  void add_alternative(std::string_view table, const In<T>& in, Held<C> T::*member);

  std::vector<Field> fields_;
};

}  // namespace retrystorm
