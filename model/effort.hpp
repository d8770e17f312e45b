// What an answer costs and how much it may cost: estimates in seconds and bytes, made from the
// scenario before anything is computed; and a meter that the long loops run, which ends them where
// an estimate was too low or somebody asks. What a unit of work takes stands here and nowhere else.
#pragma once

#include "core/stop.hpp"

#include <string>
#include <string_view>

namespace retrystorm {

// Of one core and of the heap. A plain estimate: right to a factor of three or so, rather too much.
struct Cost {
  double seconds = 0;
  double bytes = 0;
};
// One after the other: the times add up, the memory is given back in between.
Cost operator+(const Cost& a, const Cost& b);
Cost operator*(double times, const Cost& cost);

// "about 190 s and 660 MB".
std::string cost_text(const Cost& cost);

// What an answer may cost unless more is asked for.
inline constexpr Cost usual_most{20, 500e6};
// The same of a sweep, which is many of them.
inline constexpr Cost usual_most_of_sweep{120, 500e6};

struct Effort {
  Cost most = usual_most;
  Stop stop;
};
// Whatever it costs (--allow-slow).
Effort any_effort(const Stop& stop = {});

// Throws InvalidInput, one line that names `who`, the estimate and --allow-slow, if it is too much.
void require_affordable(std::string_view who, const Cost& cost, const Effort& effort);

// Nanoseconds that a unit of work takes in the release build, on one core of the machine of the
// docs/costs.md's figures, rounded up: the times of simulate_bench and model_bench over the units
// that the loops of those cases count. Slower builds and machines take longer in proportion; what
// is refused does not change with them.
namespace price {
// Simulated, from its send to all that comes of it: 20 to 30 million arrivals and completions a
// second, two of them an attempt.
inline constexpr double attempt = 70;
// A step of the fluid's grid, and in it each attempt that a request may make: the bench with two
// retries in 0.74 ms.
inline constexpr double flow_cell = 60;
inline constexpr double flow_attempt = 20;
// A round of work, sorted by latency in the end.
inline constexpr double round = 150;
// A state of a law for one event in it: M/M/20/120 over 12,000 events, some 800 a block of 400 for
// the last digits, in 2.0 ms.
inline constexpr double law_state = 1;
// A multiplication of the elimination in a band: 40,051 states by 121 by 122 in 317 ms.
inline constexpr double band_product = 0.6;
// A state of a list that is made and summed up: all states and folds of M/M/20/120 in 0.27 ms.
inline constexpr double listed_state = 6;
// The latencies of one law, by root finding.
inline constexpr double latencies = 1e6;
}  // namespace price

// Counts the work of one answer while it is done. Not thread-safe; loops that have none run free.
class Meter {
 public:
  Meter(std::string_view who, const Effort& effort) : who_(who), effort_(effort) {}

  // Throws Interrupted if somebody has asked for an end, and InvalidInput, one line, where the work
  // has grown far beyond what it may cost: then its estimate was wrong.
  void spend(double ns) {
    spent_ns_ += ns;
    if (spent_ns_ >= look_at_ns_) look();
  }

  double seconds() const { return spent_ns_ * 1e-9; }
  // What may still be spent.
  double left_s() const { return effort_.most.seconds - seconds(); }

 private:
  void look();

  std::string who_;
  Effort effort_;
  double spent_ns_ = 0;
  double look_at_ns_ = 0;
};

inline void spend(Meter* meter, double ns) {
  if (meter != nullptr) meter->spend(ns);
}

}  // namespace retrystorm
