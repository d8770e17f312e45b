// Whether the Alertmanager that a run's Prometheus is to tell is there at all: Prometheus itself
// would send into the void and only count it.
#pragma once

#include "core/net/address.hpp"

#include <string>

namespace retrystorm {

// "127.0.0.1:9093: nothing answers there"; empty for one that answers as an Alertmanager does.
std::string alertmanager_problem(const Address& address);

}  // namespace retrystorm
