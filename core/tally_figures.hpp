// Every figure of a Tally by its path in JSON ("counts.attempts", "latency_ms.request.p50"), in the
// order of JSON: the rows of core/figures.hpp in each part of a Tally that has them.
#pragma once

#include "core/figures.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <tuple>

namespace retrystorm {

// Which rows of a part a comparison tells.
enum class Tells : std::uint8_t { all, headline, none };

template <typename Part>
struct TallyPart {
  std::string_view path;
  Part Tally::*member;
  bool has_spread;  // over seeds and repeats
  Tells tells;
};

inline constexpr std::tuple tally_parts = {
    TallyPart<Counts>{"counts", &Tally::counts, true, Tells::all},
    TallyPart<Rates>{"whole", &Tally::whole, true, Tells::all},
    TallyPart<Rates>{"settled", &Tally::settled, true, Tells::headline},
    TallyPart<Quantiles>{"latency_ms.request", &Tally::request, false, Tells::all},
    TallyPart<Quantiles>{"latency_ms.attempt", &Tally::attempt, false, Tells::none},
    TallyPart<Quantiles>{"latency_ms.all", &Tally::all, false, Tells::none},
};

class TallyFigure {
 public:
  constexpr std::string_view path() const { return {path_.data(), size_}; }
  // Without "counts." and "latency_ms.", which go without saying: "attempts", "request.p50".
  constexpr std::string_view short_path() const {
    for (const std::string_view said : {"counts.", "latency_ms."}) {
      if (path().starts_with(said)) return path().substr(said.size());
    }
    return path();
  }

  const Count& in(const Tally& tally) const;
  Count& in(Tally& tally) const;

  // Of the row.
  std::string_view name, heading;
  FigureKind kind = {};
  Better better = {};
  Per per = {};
  std::size_t row = 0;
  // Of the part.
  std::size_t part = 0;
  bool has_spread = false;
  // Of both.
  Compared compared = Compared::nowhere;

 private:
  friend constexpr auto make_tally_figures();
  std::array<char, 40> path_ = {};
  std::size_t size_ = 0;
};

constexpr auto make_tally_figures() {
  constexpr std::size_t size =
      std::apply([]<typename... Parts>(
                     const TallyPart<Parts>&...) { return (FiguresOf<Parts>::rows.size() + ...); },
                 tally_parts);
  std::array<TallyFigure, size> figures;
  std::size_t made = 0;
  std::size_t parts = 0;
  const auto add = [&]<typename Part>(const TallyPart<Part>& part) {
    for (std::size_t i = 0; i < FiguresOf<Part>::rows.size(); ++i) {
      const FigureRow<Part>& row = FiguresOf<Part>::rows[i];
      TallyFigure& figure = figures[made++];
      for (const std::string_view piece : {part.path, std::string_view("."), row.name}) {
        for (const char c : piece) figure.path_[figure.size_++] = c;
      }
      figure.name = row.name;
      figure.heading = row.heading;
      figure.kind = row.kind;
      figure.better = row.better;
      figure.per = row.per;
      figure.row = i;
      figure.part = parts;
      figure.has_spread = part.has_spread;
      const bool told = part.tells == Tells::all ||
                        (part.tells == Tells::headline && row.compared == Compared::headline);
      if (told) figure.compared = row.compared;
    }
    ++parts;
  };
  std::apply([&](const auto&... part) { (add(part), ...); }, tally_parts);
  return figures;
}

inline constexpr auto tally_figures = make_tally_figures();

// The figure of that path; nullptr for a path that no tally has.
constexpr const TallyFigure* find_figure(std::string_view path) {
  for (const TallyFigure& figure : tally_figures) {
    if (figure.path() == path) return &figure;
  }
  return nullptr;
}

// The same of a path that there must be: in a constant expression another does not compile.
constexpr const TallyFigure& figure_of(std::string_view path) {
  // Not by find_figure(): under sanitizers g++ 12 takes no comparison with nullptr for constant.
  for (const TallyFigure& figure : tally_figures) {
    if (figure.path() == path) return figure;
  }
  throw std::logic_error("no figure of a tally has this path");
}

}  // namespace retrystorm
