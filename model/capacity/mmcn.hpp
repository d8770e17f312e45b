// M/M/c/N, stationary: room for N in the system, those in service included (our queue K = N - c).
// Exact. Sojourn times and goodput combine it with sojourn.hpp.
#pragma once

#include <cstdint>
#include <vector>

namespace retrystorm::capacity {

struct MMcN {
  std::vector<double> p;  // of n = 0 ... N in the system; also what an arrival finds (PASTA)
  double p_block = 0;
  double mean_in_system = 0;
  double mean_queue = 0;
  double utilisation = 0;       // of one server
  double throughput_per_s = 0;  // accepted
  double p_wait_accepted = 0;
  double mean_wait_accepted_s = 0;
  double mean_sojourn_accepted_s = 0;
};

// `arrivals_per_s` above 0, `services_per_s` of one server, `room` N >= `servers` >= 1.
// O(N); the product form p_n = p_{n-1} lambda/(min(n, c) mu) taken outwards from its mode, where
// it cannot overflow: any load, N to 1e5 and beyond. Source: texts on birth-death queues, e.g.
// Kleinrock 1975, 3.7.
MMcN mmcn(double arrivals_per_s, double services_per_s, std::int64_t servers, std::int64_t room);

// The probabilities p_0 ... p_N alone.
std::vector<double> mmcn_probabilities(double arrivals_per_s, double services_per_s,
                                       std::int64_t servers, std::int64_t room);

// Accepted arrivals per second whose sojourn is at most `seconds`.
double mmcn_goodput_per_s(const MMcN& state, double arrivals_per_s, double services_per_s,
                          std::int64_t servers, double seconds);

}  // namespace retrystorm::capacity
