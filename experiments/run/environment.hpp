// The machine a run was made on, and what it did to the run that no process can know of itself:
// packets dropped, time stolen from a virtual machine. Linux only; what cannot be read is left out.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <boost/json/fwd.hpp>

namespace retrystorm {

// This program and its compiler, kernel, processor, cores, affinity, clock, load average, port
// settings.
boost::json::object describe_machine();

// Counters of the whole machine that only grow.
using MachineCounters = std::map<std::string, std::uint64_t>;
MachineCounters read_machine_counters();

// What grew from `before` to `after`: {"listen_drops": 0, "steal_ticks": 3, ...}.
boost::json::object growth(const MachineCounters& before, const MachineCounters& after);

}  // namespace retrystorm
