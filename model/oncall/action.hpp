// What an operator can do, by name: the controls, their values and which of those are fit.
#pragma once

#include "model/oncall/constants.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace retrystorm::oncall {

enum class Control : std::uint8_t {
  floor,            // instances
  tracking,         // on, off
  target,           // utilization
  ttl,              // seconds
  warm_up,          // button
  shed,             // share of the low-priority traffic
  recommendations,  // on, off
  rollback,         // button
};
inline constexpr std::array<std::string_view, 8> control_names = {
    "floor", "tracking", "target", "ttl", "warm_up", "shed", "recommendations", "rollback"};
constexpr std::string_view name(Control c) {
  return control_names[static_cast<std::size_t>(c)];
}

// One move of one control at the beginning of a minute. On and a pressed button are 1, off is 0.
struct Action {
  int minute = 0;  // since the opening
  Control control = Control::floor;
  double value = 0;
  friend bool operator==(const Action&, const Action&) = default;
};

// What the control takes, in words: "must be a whole number from 1 to 40".
std::string fit_values(Control control, const Constants& constants);
// True if the control takes the value.
bool fits(Control control, double value, const Constants& constants);

}  // namespace retrystorm::oncall
