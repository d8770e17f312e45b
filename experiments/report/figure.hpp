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

// The figures that tell a run at a glance, with the heading and width of their columns in the table
// on the terminal; 0 for one that stands only in the wider tables.
struct OverviewFigure {
  Figure figure;
  std::string_view short_heading;
  std::size_t width;
};
inline constexpr OverviewFigure overview_figures[] = {
    {{"counts.attempts", "attempts", FigureKind::count}, "attempts", 9},
    {{"counts.rejected", "rejected", FigureKind::count}, "rejected", 9},
    {{"counts.timed_out", "timed out", FigureKind::count}, "timed out", 10},
    {{"counts.completed", "completed", FigureKind::count}, "completed", 10},
    {{"counts.abandoned", "abandoned", FigureKind::count}, "abandoned", 10},
    {{"whole.abandoned_share", "abandoned share", FigureKind::share}, "", 8},
    {{"counts.succeeded", "succeeded", FigureKind::count}, "", 0},
    {{"whole.goodput_per_s", "goodput /s, whole", FigureKind::rate}, "goodput/s", 10},
    {{"settled.goodput_per_s", "goodput /s, settled", FigureKind::rate}, "", 0},
    {{"whole.throughput_per_s", "throughput /s", FigureKind::rate}, "throughput/s", 13},
    {{"latency_ms.request.p50", "median ms", FigureKind::milliseconds}, "median ms", 10},
    {{"whole.amplification", "ampl.", FigureKind::factor}, "ampl.", 7},
};

// The figure of that path; nothing for a path that no tally has.
Count figure_at(const Tally& tally, std::string_view path);

// Every path that figure_at() knows, in the order of report.json.
std::vector<std::string> figure_paths();

// "1,234", "79.5", "92.3 %", "2.87", "58.0"; no_number for nothing. Units other than % stand in the
// heading.
std::string figure_text(FigureKind kind, const Count& value);

}  // namespace retrystorm
