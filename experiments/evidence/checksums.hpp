// SHA256SUMS in a run directory: what the run's own files were when it ended, as `sha256sum -c`
// reads it. The raw ledgers stand in each try's note (raw_ledgers.hpp), which stands here.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace retrystorm {

class Checksums {
 public:
  // Those of a run directory; empty where it has none, because an earlier version of the program
  // made it or the run was killed. Throws InvalidInput for a file that is no list of them.
  explicit Checksums(const std::string& directory);

  bool empty() const { return sums_.empty(); }
  bool has(std::string_view name) const { return sums_.contains(name); }
  // What is wrong with the file of this name, "is not what was written: ..."; empty if nothing is,
  // and for one without a checksum.
  std::string alteration(std::string_view name) const;
  // The same of a file that was just read, so that what is judged is what is used.
  std::string alteration(std::string_view name, std::string_view bytes) const;
  // Throws InvalidInput for a file that is not what was written, with what to do about it.
  void require(std::string_view name, std::string_view remedy) const;

 private:
  std::string difference(std::string_view name, const std::string& now) const;

  std::string directory_;
  std::map<std::string, std::string, std::less<>> sums_;  // by name in the directory
};

// Writes them for experiment.toml, run.sqlite, report.json, every try.json and the recordings.
// Throws RunFailed.
void write_checksums(const std::string& directory);

// Writes that of one file anew, where there are any.
void renew_checksum(const std::string& directory, const std::string& name);

}  // namespace retrystorm
