// The figures of a Tally, a row each: the name in JSON, the member, the heading people read, what
// it is, which side is better, where a comparison tells it. JSON, CSV, means, spreads, published
// files, tables, comparison and history take from here what they say, so a new figure is its member
// (core/tally.hpp), its row here, and what computes it.
#pragma once

#include "core/tally.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace retrystorm {

// What a figure is, which says how it is written.
enum class FigureKind : std::uint8_t { count = 1, rate, share, factor, milliseconds, seconds };

// The side of a figure that is the better one; neither where a change is no judgement.
enum class Better : std::uint8_t { higher = 1, lower, neither };

// The part of a comparison that tells a figure; the parts follow each other in this order, in them
// the rows.
enum class Compared : std::uint8_t {
  nowhere = 1,
  headline,  // of the whole run and of the settled window; the other parts only of the whole run
  cost,
  latency,
  errors,
  unsent,
  counts,  // the counts that say most: a prediction's error is shown for them, too
  rates,
};

// What a figure's events are divided by.
enum class Per : std::uint8_t { nothing, second, completion, request };

// What is left out is refused by missing_in().
template <typename Part>
struct FigureRow {
  std::string_view name;
  Count Part::*member = nullptr;
  std::string_view heading = {};
  FigureKind kind = {};
  Better better = {};
  Compared compared = {};
  Per per = Per::nothing;
};

// The rows of a part of a Tally, one for each member, in the order of its JSON.
template <typename Part>
struct FiguresOf;

template <>
struct FiguresOf<Counts> {
  using enum FigureKind;
  using enum Better;
  using To = Compared;
  using Row = FigureRow<Counts>;
  static constexpr std::array rows = {
      Row{"offered", &Counts::offered, "offered", count, neither, To::nowhere},
      Row{"succeeded", &Counts::succeeded, "succeeded", count, neither, To::counts},
      Row{"gave_up", &Counts::gave_up, "gave up", count, neither, To::nowhere},
      Row{"unsent", &Counts::unsent, "unsent", count, lower, To::unsent},
      Row{"attempts", &Counts::attempts, "attempts", count, neither, To::counts},
      Row{"rejected", &Counts::rejected, "rejected", count, neither, To::counts},
      Row{"timed_out", &Counts::timed_out, "timed out", count, neither, To::counts},
      Row{"failed_status", &Counts::failed_status, "other status", count, lower, To::errors},
      Row{"connect_error", &Counts::connect_error, "no connection", count, lower, To::errors},
      Row{"io_error", &Counts::io_error, "broken", count, lower, To::errors},
      Row{"arrived", &Counts::arrived, "arrived", count, neither, To::nowhere},
      Row{"completed", &Counts::completed, "completed", count, neither, To::counts},
      Row{"refused", &Counts::refused, "refused", count, neither, To::nowhere},
      Row{"skipped", &Counts::skipped, "skipped", count, neither, To::nowhere},
      Row{"taken", &Counts::taken, "taken in time", count, neither, To::nowhere},
      Row{"abandoned", &Counts::abandoned, "abandoned", count, neither, To::counts},
      Row{"abandoned_seen", &Counts::abandoned_seen, "abandoned, seen at the reply", count, neither,
          To::nowhere},
      Row{"seen_later", &Counts::seen_later, "abandoned, seen later", count, neither, To::nowhere},
      Row{"late_read", &Counts::late_read, "read late", count, neither, To::nowhere},
      Row{"undelivered", &Counts::undelivered, "undelivered", count, neither, To::nowhere},
      Row{"cut", &Counts::cut, "cut off", count, neither, To::nowhere},
      Row{"unfinished.attempts", &Counts::unfinished_attempts, "unfinished", count, neither,
          To::nowhere},
      Row{"unfinished.requests", &Counts::unfinished_requests, "requests unfinished", count,
          neither, To::nowhere},
      Row{"unfinished.arrivals", &Counts::unfinished_arrivals, "arrivals unfinished", count,
          neither, To::nowhere},
  };
};

template <>
struct FiguresOf<Rates> {
  using enum FigureKind;
  using enum Better;
  using To = Compared;
  using Row = FigureRow<Rates>;
  static constexpr std::array rows = {
      Row{"seconds", &Rates::seconds, "seconds", seconds, neither, To::nowhere},
      Row{"offered_per_s", &Rates::offered_per_s, "offered /s", rate, neither, To::nowhere,
          Per::second},
      Row{"goodput_per_s", &Rates::goodput_per_s, "goodput /s", rate, higher, To::headline,
          Per::second},
      Row{"throughput_per_s", &Rates::throughput_per_s, "throughput /s", rate, neither, To::rates,
          Per::second},
      Row{"attempts_per_s", &Rates::attempts_per_s, "attempts /s", rate, neither, To::nowhere,
          Per::second},
      Row{"abandoned_share", &Rates::abandoned_share, "abandoned share", share, lower, To::headline,
          Per::completion},
      Row{"amplification", &Rates::amplification, "amplification", factor, lower, To::cost,
          Per::request},
  };
};

template <>
struct FiguresOf<Quantiles> {
  using enum FigureKind;
  using enum Better;
  using To = Compared;
  using Row = FigureRow<Quantiles>;
  static constexpr std::array rows = {
      Row{"mean", &Quantiles::mean, "mean", milliseconds, lower, To::nowhere},
      Row{"p50", &Quantiles::p50, "median ms", milliseconds, lower, To::latency},
      Row{"p90", &Quantiles::p90, "p90", milliseconds, lower, To::nowhere},
      Row{"p99", &Quantiles::p99, "p99", milliseconds, lower, To::latency},
      Row{"p999", &Quantiles::p999, "p99.9", milliseconds, lower, To::nowhere},
      Row{"max", &Quantiles::max, "max", milliseconds, lower, To::nowhere},
  };
};

inline constexpr const auto& count_figures = FiguresOf<Counts>::rows;
inline constexpr const auto& rate_figures = FiguresOf<Rates>::rows;
inline constexpr const auto& quantile_figures = FiguresOf<Quantiles>::rows;

// Calls f(name, count) for each count: "offered", ..., "unfinished.attempts".
template <typename CountsLike, typename F>
void visit_counts(CountsLike& counts, F&& f) {
  for (const auto& row : count_figures) f(row.name, counts.*row.member);
}

// Calls f(name, rate) for each rate.
template <typename RatesLike, typename F>
void visit_rates(RatesLike& rates, F&& f) {
  for (const auto& row : rate_figures) f(row.name, rates.*row.member);
}

// Calls f(name, milliseconds) for each quantile.
template <typename QuantilesLike, typename F>
void visit_quantiles(QuantilesLike& quantiles, F&& f) {
  for (const auto& row : quantile_figures) f(row.name, quantiles.*row.member);
}

// What a row does not say; empty for a whole one.
template <typename Part>
constexpr std::string_view missing_in(const FigureRow<Part>& row) {
  if (row.name.empty()) return "name";
  if (row.member == nullptr) return "member";
  if (row.heading.empty()) return "heading";
  if (row.kind == FigureKind{}) return "kind";
  if (row.better == Better{}) return "better side";
  if (row.compared == Compared{}) return "part of a comparison";
  const bool is_rate = row.kind == FigureKind::rate;
  const bool is_ratio = row.kind == FigureKind::share || row.kind == FigureKind::factor;
  if ((is_rate || is_ratio) != (row.per != Per::nothing)) return "what it is per";
  if (is_rate != (row.per == Per::second)) return "what it is per";
  return {};
}

namespace detail {

struct AnyCount {
  operator Count() const;
};

// How many Counts a part begins with; what is no figure may follow them.
template <typename Part, typename... Members>
constexpr std::size_t counts_in() {
  if constexpr (requires { Part{Members{}..., AnyCount{}}; }) {
    return counts_in<Part, Members..., AnyCount>();
  } else {
    return sizeof...(Members);
  }
}

}  // namespace detail

// True if each Count of the part has a row, and only one.
template <typename Part, std::size_t N>
constexpr bool rows_are_its_members(const std::array<FigureRow<Part>, N>& rows) {
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (rows[i].member == rows[j].member || rows[i].name == rows[j].name) return false;
    }
  }
  return N == detail::counts_in<Part>();
}

namespace detail {

// The compiler names the member.
template <auto member, bool has_heading, bool has_kind, bool has_side, bool is_whole>
struct RowOf {
  static_assert(has_heading, "the figure of this member has no heading");
  static_assert(has_kind, "the figure of this member has no kind");
  static_assert(has_side, "the figure of this member has no better side");
  static_assert(is_whole, "the row of this member lacks what missing_in() tells");
};
template <typename Part, std::size_t... I>
constexpr bool checked(std::index_sequence<I...>) {
  constexpr const auto& rows = FiguresOf<Part>::rows;
  static_assert(rows_are_its_members(rows), "a Count of this part has no row, or two");
  return (sizeof(RowOf<rows[I].member, !rows[I].heading.empty(), rows[I].kind != FigureKind{},
                       rows[I].better != Better{}, missing_in(rows[I]).empty()>) +
          ...) > 0;
}
template <typename Part>
inline constexpr bool has_whole_rows =
    checked<Part>(std::make_index_sequence<FiguresOf<Part>::rows.size()>());

}  // namespace detail

static_assert(detail::has_whole_rows<Counts> && detail::has_whole_rows<Rates> &&
              detail::has_whole_rows<Quantiles>);

}  // namespace retrystorm
