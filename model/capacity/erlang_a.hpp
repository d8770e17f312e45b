// Erlang A, M/M/n+M: customers who wait lose patience after an exponential time and take their work
// with them. (retrystorm's clients do not: theirs is served in vain. This is the textbook model.)
#pragma once

#include <cstdint>
#include <vector>

namespace retrystorm::capacity {

class ErlangA {
 public:
  // `arrivals_per_s`, `services_per_s` (of one server) and `abandons_per_s` (1/mean patience) above
  // 0, any load. Rates may be per any unit of time; times then come in that unit.
  // Birth-death with rates n mu + (j - n) theta, taken outwards from the mode until nothing is
  // left. Source: Garnett, Mandelbaum and Reiman 2002.
  ErlangA(double arrivals_per_s, double services_per_s, std::int64_t servers,
          double abandons_per_s);

  double p_wait() const { return p_wait_; }
  double p_abandon() const { return abandons_ * mean_queue_ / arrivals_; }
  double mean_queue() const { return mean_queue_; }
  double mean_wait_s() const { return mean_queue_ / arrivals_; }  // over all, served or not
  double occupancy() const { return busy_ / static_cast<double>(servers_); }

  // P(still waiting after t), over all arrivals. Finding j waiting, an arrival needs j + 1
  // departures at rates c mu + k theta, k = j ... 0; their total time T has e^{-theta T} ~ Beta(c
  // mu/theta, j+1) (a product of independent powers), so it is a regularised incomplete beta
  // function times e^{-theta t} for its own patience.
  double wait_tail(double seconds) const;
  double wait_quantile_s(double q) const;

 private:
  double arrivals_;
  double services_;
  std::int64_t servers_;
  double abandons_;
  std::vector<double> waiting_;  // probability that an arrival finds all busy and j waiting
  double p_wait_ = 0;
  double mean_queue_ = 0;
  double busy_ = 0;
};

}  // namespace retrystorm::capacity
