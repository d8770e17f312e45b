#include "model/oncall/action.hpp"

#include <cmath>

#include <fmt/format.h>

namespace retrystorm::oncall {
namespace {

constexpr double least_target = 0.01;
constexpr double longest_ttl = 24 * 3600;

}  // namespace

std::string fit_values(Control control, const Constants& constants) {
  switch (control) {
    case Control::floor:
      return fmt::format("must be a whole number from 1 to {}", constants.max_instances);
    case Control::target:
      return fmt::format("must be a utilization from {} to 1", least_target);
    case Control::ttl:
      return "must be a duration from 1s to 24h, such as \"90s\"";
    case Control::shed:
      return "must be a share of the low-priority traffic, from 0 to 1";
    case Control::tracking:
    case Control::recommendations:
      return "must be true or false";
    case Control::warm_up:
    case Control::rollback:
      return "must be true: it is a button";
  }
  return {};
}

bool fits(Control control, double value, const Constants& constants) {
  switch (control) {
    case Control::floor:
      return value >= 1 && value <= constants.max_instances && value == std::floor(value);
    case Control::target:
      return value >= least_target && value <= 1;
    case Control::ttl:
      return value >= 1 && value <= longest_ttl;
    case Control::shed:
      return value >= 0 && value <= 1;
    case Control::tracking:
    case Control::recommendations:
      return value == 0 || value == 1;
    case Control::warm_up:
    case Control::rollback:
      return value == 1;
  }
  return false;
}

}  // namespace retrystorm::oncall
