// How many workers a load needs, and what a number of them admits: the capacity arithmetic of
// docs/calculators.md, each figure with its formula. Whole numbers are decided exactly, never by a
// binary fraction.
#pragma once

#include "core/units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

struct SizingInput {
  Duration work{};                      // mean, of a request on a worker; 1 ns to 24 h
  std::int64_t rate_micro = 0;          // millionths of a request per second; above 0, to 10^9/s
  std::int64_t share_ppm = 750'000;     // of the ideal capacity that may be used; 1 % to 100 %
  std::optional<std::int64_t> workers;  // as many as needed if not given; 1 to 10^6
};

struct SizingFigure {
  std::string_view name;
  std::optional<double> value;  // nothing where the formula has no answer
  std::string_view unit;
  std::string formula;  // with the numbers put in
};

struct Sizing {
  std::int64_t workers_needed = 0;
  std::int64_t workers = 0;
  bool enough = true;  // the workers admit the load
  std::vector<SizingFigure> figures;
};

// Throws InvalidInput for a field out of its range.
Sizing size_workers(const SizingInput& input);

boost::json::value to_json(const SizingInput& input, const Sizing& sizing);
std::string to_text(const SizingInput& input, const Sizing& sizing);

}  // namespace retrystorm
