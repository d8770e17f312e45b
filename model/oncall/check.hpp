// The formulas held against the queue simulation, case by case and figure by figure: where the
// textbook is wrong, and by how much.
#pragma once

#include "model/oncall/bench.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace retrystorm::oncall {

// One figure of one case. Shares as shares, times in milliseconds.
struct CheckRow {
  std::string_view name;
  bool share = false;               // else milliseconds
  std::optional<double> formula;    // nothing where the textbook has no answer
  std::optional<double> simulated;  // mean over the seeds; nothing where it never came about
  std::optional<double> error;      // standard error of that mean; one seed has none
  // formula - simulated, and 100 times that / simulated.
  std::optional<double> difference() const;
  std::optional<double> error_percent() const;
};

struct CheckCase {
  std::string name;
  double requests_per_s = 0;
  int workers = 0;
  std::vector<CheckRow> rows;
};

struct Check {
  int instances = 1;
  int workers = 16;  // of each
  std::uint32_t first_seed = 0;
  std::uint32_t seeds = 0;  // asked for
  std::vector<CheckCase> cases;
  bool interrupted = false;  // fewer cases, or fewer seeds in the last
};

// Plays every case with each seed; asks `stop` before each minute. Throws std::length_error for
// minutes too long to simulate (bench.hpp).
Check run_check(const Constants& constants, int instances, std::uint32_t first_seed,
                std::uint32_t seeds, const std::function<bool()>& stop);

// The worst case of each figure: in points for a share, in per cent for a time.
struct Worst {
  const CheckCase* where = nullptr;
  const CheckRow* row = nullptr;
};
std::vector<Worst> worst_of(const Check& check);

std::string to_table(const Check& check);
std::string to_markdown(const Check& check);
std::string to_csv(const Check& check);
std::string to_json_text(const Check& check);

}  // namespace retrystorm::oncall
