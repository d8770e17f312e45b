// Whether the Alertmanager that a run's Prometheus is to tell is there at all: Prometheus itself
// would send into the void and only count it.
#pragma once

#include "core/net/address.hpp"
#include "core/units.hpp"

#include <string>

namespace retrystorm {

// "127.0.0.1:9093: no Alertmanager answers there"; empty for one that answers. Where nobody does,
// it is asked again until `patience` is over: it may just have been started.
std::string alertmanager_problem(const Address& address, Duration patience = {});

}  // namespace retrystorm
