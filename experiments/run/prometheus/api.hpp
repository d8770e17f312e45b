// Questions to a Prometheus over its HTTP API. Starting one stands in server.hpp.
#pragma once

#include "core/net/address.hpp"
#include "core/units.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

// One series of an answer: its labels and its raw samples, times in seconds since 1970.
struct PrometheusSeries {
  std::map<std::string, std::string, std::less<>> labels;
  struct Sample {
    double time = 0;
    double value = 0;
  };
  std::vector<Sample> samples;  // rising; one for an instant vector
};

class PrometheusApi {
 public:
  // `address`: where it listens. Each question opens its own connection and may take at most
  // `patience`.
  explicit PrometheusApi(Address address, Duration patience = std::chrono::seconds(5))
      : address_(std::move(address)), patience_(patience) {}

  // GET `target`, e.g. "/-/ready": the status code; nothing if nobody answers.
  std::optional<int> status(const std::string& target) const;

  // The answer to an expression at `time` (now, if nothing): vectors and, with a range at the end
  // of the expression, raw samples. Throws RunFailed.
  std::vector<PrometheusSeries> query(std::string_view expression,
                                      std::optional<double> time = std::nullopt) const;

 private:
  Address address_;
  Duration patience_;
};

}  // namespace retrystorm
