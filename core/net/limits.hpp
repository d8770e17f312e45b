// What the machine allows a process: descriptors, ports. Raised where allowed, reported where not.
#pragma once

#include <cstdint>

namespace retrystorm {

// Raises the soft descriptor limit to the hard one (as root to at least `wanted`, if that is more)
// and returns the limit in force.
std::uint64_t raise_descriptor_limit(std::uint64_t wanted);

// Local ports that outgoing connections can use (net.ipv4.ip_local_port_range); 0 if unknown.
std::uint64_t local_ports();

// True if the kernel lets a port in TIME_WAIT be used again for a new outgoing loopback connection.
bool time_wait_reuse();

}  // namespace retrystorm
