// The operators: who decides what to do with the controls. Each is a value that sees what a
// dashboard shows and says what it does at the beginning of the next minute; begin() before the
// first. All three are ours; docs/oncall.md says why they do what they do.
#pragma once

#include "model/oncall/action.hpp"
#include "model/oncall/minute.hpp"
#include "model/oncall/scenario.hpp"
#include "model/oncall/state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace retrystorm::oncall {

// What an operator has before them: the latest minute, where the controls stand, and how the
// service is built.
struct Sight {
  const Minute& now;
  const Controls& controls;
  const Constants& constants;
  const Day& day;
  int next() const { return now.minute + 1; }
};

// How long a person needs from the first sign of trouble to the first move, drawn anew for each
// incident from a stream half a period away from the traffic's, so that neither disturbs the other
// and operators of one seed are equally quick.
class Reaction {
 public:
  void begin(std::uint32_t seed, double mean_s) {
    random_ = Mulberry32(seed + 0x80000000U);
    mean_s_ = mean_s;
  }
  // Tells of a minute whether there is trouble; true once the operator is at the controls.
  bool at_work(bool trouble, int minute);
  // The incident is over.
  void rest() { ready_ = none; }

 private:
  static constexpr int none = -1;
  Mulberry32 random_{0};
  double mean_s_ = 0;
  int ready_ = none;  // minute; none: nothing is wrong
};

// Never touches anything.
struct NoOperator {
  void begin(std::uint32_t, const Constants&) {}
  std::vector<Action> decide(const Sight&) { return {}; }
};

// Does what it was told beforehand, whatever happens.
class ScriptedOperator {
 public:
  explicit ScriptedOperator(std::vector<Action> script) : script_(std::move(script)) {}
  void begin(std::uint32_t, const Constants&) { next_ = 0; }
  std::vector<Action> decide(const Sight& sight);
  std::size_t not_reached() const { return script_.size() - next_; }

 private:
  std::vector<Action> script_;
  std::size_t next_ = 0;
};

// Goes by the book: rolls a new build back once its errors burn the budget and then waits; computes
// the fleet that the load needs and sheds no more than the fleet cannot carry meanwhile; warms a
// cold cache only while the database has room; puts everything back afterwards.
class TextbookOperator {
 public:
  void begin(std::uint32_t seed, const Constants& c) { reaction_.begin(seed, c.reaction_time); }
  std::vector<Action> decide(const Sight& sight);

 private:
  Reaction reaction_;
  int calm_ = 0;       // minutes in a row with room to spare
  bool cold_ = false;  // the cache is being nursed
};

// Pulls everything at once, presses again when it does not help, and does not give the machines
// back.
class PanicOperator {
 public:
  void begin(std::uint32_t seed, const Constants& c) { reaction_.begin(seed, c.reaction_time); }
  std::vector<Action> decide(const Sight& sight);

 private:
  Reaction reaction_;
  int calm_ = 0;        // minutes in a row without trouble
  int presses_ = 0;     // of the rollback
  int last_press_ = 0;  // minute
};

using Operator = std::variant<NoOperator, TextbookOperator, PanicOperator, ScriptedOperator>;

// Those that need no script, by name.
inline constexpr std::array<std::string_view, 3> operator_names = {"none", "textbook", "panic"};
// The operator of that place in operator_names.
Operator operator_of(std::size_t index);

}  // namespace retrystorm::oncall
