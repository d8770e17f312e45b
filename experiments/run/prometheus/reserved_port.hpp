// A port that stays ours between two processes that listen on it, one after the other: bound, never
// listening. Linux lets a child bind the same port with SO_REUSEADDR, and gives it to nobody who
// asks for any port, nor to an outgoing connection.
#pragma once

#include "core/net/address.hpp"
#include "core/net/descriptor.hpp"

namespace retrystorm {

class ReservedPort {
 public:
  // A free port of 127.0.0.1. Throws RunFailed.
  ReservedPort();
  const Address& address() const { return address_; }

 private:
  Descriptor socket_;
  Address address_;
};

}  // namespace retrystorm
