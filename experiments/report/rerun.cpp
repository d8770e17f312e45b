#include "experiments/report/rerun.hpp"

#include "core/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// What the experiment's file does not hold: how often each arm was measured, by which limits, and
// whether Prometheus looked on.
std::string run_flags(const Report& report) {
  const Try* first = nullptr;
  for (const ArmReport& arm : report.arms) {
    if (!first && !arm.tries.empty()) first = &arm.tries.front();
  }
  if (!first) return {};
  std::string flags;
  if (first->repeats > 1) flags += fmt::format(" --repeat {}", first->repeats);
  if (first->scraped) flags += " --prometheus";
  const TrustLimits usual;
  for (const TrustLimit& one : trust_limits) {
    const double limit = first->limits.*one.value;
    if (limit != usual.*one.value) flags += fmt::format(" {} {}", one.flag, limit);
  }
  return flags;
}

}  // namespace

std::vector<std::string> rerun_commands(const Report& report, std::string_view directory) {
  const std::string run(directory.empty() ? "DIR" : directory);
  std::vector<std::string> commands = {
      fmt::format("retrystorm run {}{}", shell_quoted(run + "/experiment.toml"), run_flags(report)),
      fmt::format("retrystorm report {}", shell_quoted(run)),
      fmt::format("retrystorm trace {} 0 --arm {}", shell_quoted(run),
                  shell_quoted(report.arms.empty() ? "ARM" : report.arms.front().name)),
      fmt::format("sqlite3 {} \"select arm, try_number, kind, count from reconciliation\"",
                  shell_quoted(run + "/run.sqlite")),
  };
  return commands;
}

std::string shell_quoted(std::string_view text) {
  const auto plain = [](char c) {
    constexpr std::string_view marks = "-_./=,:+@%";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != marks.npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace retrystorm
