// What a run says of itself to the live page: a small file in the run's directory that tells which
// arm is going on and which have been. The page's server (page_server.hpp) carries the rest.
#pragma once

#include "core/trust_limits.hpp"
#include "core/units.hpp"
#include "experiments/evidence/try_key.hpp"

#include <optional>
#include <string>
#include <vector>

namespace retrystorm {

class LivePage {
 public:
  // Begins the file in `directory`, which is made. Throws RunFailed.
  LivePage(std::string directory, std::string experiment, const TrustLimits& limits = {});

  // A try begins to send now, for so long; it is over.
  void begins(const TryKey& key, Duration sending);
  void ends();
  // What the last try was found to be worth, and why not if it was not: it may be measured again.
  void judged(bool trusted, const std::vector<std::string>& reasons);
  // The run is over.
  void done();

  std::string run_file() const { return directory_ + "/run.json"; }

 private:
  // Times in seconds since 1970, because that is what Prometheus keeps.
  struct Seen {
    TryKey key;
    double from = 0;
    double sent_until = 0;
    std::optional<double> to;
    std::optional<bool> trusted;  // once it was judged
    std::vector<std::string> reasons;
  };
  void write() const;

  std::string directory_;
  std::string experiment_;
  TrustLimits limits_;
  std::vector<Seen> tries_;
  bool done_ = false;
};

// Tells a page that a killed run left open that the run is over, and its last try with it. Throws
// InvalidInput if run.json is damaged.
void end_page(const std::string& directory);

}  // namespace retrystorm
