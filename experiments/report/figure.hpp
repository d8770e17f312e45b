// The figures of a Tally (core/tally_figures.hpp) as people read them: columns of tables, numbers
// as text.
#pragma once

#include "core/tally_figures.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

// A column of a table.
struct Figure {
  std::string_view path;
  std::string_view heading;
  FigureKind kind;
};

// The column of a tally's figure, with a heading of its own where those beside it say more.
constexpr Figure column(std::string_view path, std::string_view heading = {}) {
  const TallyFigure& figure = figure_of(path);
  return {figure.path(), heading.empty() ? figure.heading : heading, figure.kind};
}

// The figures that tell a run at a glance, with the width of their columns in the table on the
// terminal (0 for one that stands only in the wider tables), and which of them goes first where a
// terminal is too narrow for all.
struct OverviewFigure {
  Figure figure;
  std::size_t width;
  std::size_t leave = 0;
};
inline constexpr OverviewFigure overview_figures[] = {
    {column("counts.attempts"), 9},
    {column("counts.rejected"), 9, 6},
    {column("counts.timed_out"), 10, 4},
    {column("counts.completed"), 10, 3},
    {column("counts.abandoned"), 10},
    {column("whole.abandoned_share"), 8, 7},
    {column("counts.succeeded"), 0},
    {column("whole.goodput_per_s", "goodput /s, whole"), 10},
    {column("settled.goodput_per_s", "goodput /s, settled"), 0},
    {column("whole.throughput_per_s"), 13, 1},
    {column("latency_ms.request.p50"), 10, 5},
    {column("whole.amplification", "ampl."), 7, 2},
};

// Stands after the attempts wherever a run has unsent requests, which are never passed over.
inline constexpr OverviewFigure unsent_figure = {column("counts.unsent"), 9};

// The figure of that path; nothing for a path that no tally has.
Count figure_at(const Tally& tally, std::string_view path);

// A heading where room is short: "goodput/s" of "goodput /s, whole".
std::string narrow_heading(std::string_view heading);

// A path in words: "timed out" of "timed_out", "settled goodput /s" of "settled.goodput_per_s".
std::string path_words(std::string_view path);

// "1,234", "79.5", "92.3 %", "2.87", "58.0"; no_number for nothing. Units other than % stand in the
// heading.
std::string figure_text(FigureKind kind, const Count& value);

// The same as the terminal has it, where columns of numbers stand close.
std::string terminal_text(FigureKind kind, const Count& value);

}  // namespace retrystorm
