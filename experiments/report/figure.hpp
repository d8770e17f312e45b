// The figures of a Tally by the path they have in report.json ("counts.attempts",
// "latency_ms.request.p50"), and as people read them: one list for tables, CSV and comparison.
#pragma once

#include "core/tally.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

// What a figure is, which says how it is written.
enum class FigureKind : std::uint8_t { count, rate, share, factor, milliseconds, seconds };

struct Figure {
  std::string_view path;
  std::string_view heading;
  FigureKind kind;
};

// The figure of that path; nothing for a path that no tally has.
Count figure_at(const Tally& tally, std::string_view path);

// Every path that figure_at() knows, in the order of report.json.
std::vector<std::string> figure_paths();

// "1,234", "79.5", "92.3 %", "2.87", "58.0"; a dash for nothing. Units other than % stand in the
// heading.
std::string figure_text(FigureKind kind, const Count& value);

}  // namespace retrystorm
