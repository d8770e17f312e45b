// One stage of an offered load: a stretch of the run with one rate, or with a straight ramp from
// one rate to another. Says when its requests are due, in whole numbers: what is floored to the
// nanosecond is exact, whatever the rate.
#pragma once

#include "core/units.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

struct Stage {
  std::string name;       // may be empty
  std::int64_t from = 0;  // the rate at its start, in thousandths of a request per second
  std::int64_t to = 0;    // at its end; the same without a ramp
  Duration length{};
  friend bool operator==(const Stage&, const Stage&) = default;
};

inline constexpr std::int64_t most_stage_rate = 10'000'000'000;  // ten million per second
inline constexpr Duration most_stage_length = std::chrono::hours(24);

// Reads "200/s:5s", "burst=800/s:3s" or "200/s..1200/s:30s"; the remedy for what is none of them,
// empty for a fit one.
std::string read_stage(Stage& stage, std::string_view text);
// As it is read.
std::string text_of(const Stage& stage);

// The rates at its ends and in the middle, per second.
double start_rate(const Stage& stage);
double end_rate(const Stage& stage);
double mean_rate(const Stage& stage);

// The integral of the rate from the stage's start, in requests: over all of it, and up to `since`
// from its start.
double area_of(const Stage& stage);
double area_until(const Stage& stage, Duration since);

// How many requests an even schedule offers in it: request k = 0, 1, ... when the integral reaches
// k, in [start, end).
std::uint64_t requests_in(const Stage& stage);

// From the start of the stage, the instant of request k of an even schedule, rounded down to the
// nanosecond. Requires: k < requests_in(stage).
Duration instant_in(const Stage& stage, std::uint64_t k);

// From its start, when the integral of the rate reaches `area`, within the stage. Requires: 0 <=
// area < area_of(stage).
Duration instant_at_area(const Stage& stage, double area);

// The integral of the rate over several stages from their start to an instant, in requests.
double area_until(const std::vector<Stage>& stages, Duration since);

// What several stages come to.
Duration length_of(const std::vector<Stage>& stages);
double mean_rate(const std::vector<Stage>& stages);

}  // namespace retrystorm
