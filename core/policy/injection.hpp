// Failures made on purpose: a share of the arrivals is refused, whatever the load is. Which ones is
// drawn from the seed and the attempt's own name, so that a service and its simulation fail the
// very same attempts.
#pragma once

#include "core/random.hpp"
#include "core/scenario.hpp"

#include <cstdint>

namespace retrystorm {

class Injection {
 public:
  explicit Injection(const Scenario& scenario)
      : rate_(scenario.service.fail_rate), seed_(static_cast<std::uint64_t>(scenario.seed)) {}

  // False where no arrival ever fails: then nothing need be asked.
  bool on() const { return rate_ > 0; }

  bool fails(std::uint64_t request, std::uint32_t attempt) const {
    return draw(Stream::injection, request << attempt_bits ^ attempt);
  }
  // An arrival without a name: the nth of them, from 0.
  bool fails_stranger(std::uint64_t nth) const { return draw(Stream::strangers, nth); }

 private:
  static constexpr int attempt_bits = 10;  // more attempts of a request than our generator makes

  bool draw(Stream stream, std::uint64_t member) const {
    return Random(seed_, stream, member).uniform() < rate_;
  }

  double rate_;
  std::uint64_t seed_;
};

// The fields of this policy.
void declare_injection(FieldList& list);

}  // namespace retrystorm
