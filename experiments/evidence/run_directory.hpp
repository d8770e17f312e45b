// Where a run keeps what it has: experiment.toml, run.sqlite, report.json, the raw files of each
// try under arms/, and copies of recordings under recorded/. One run at a time writes there.
#pragma once

#include "experiments/evidence/import.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

// The note files under arms/ of a directory, whoever writes there.
std::vector<std::string> note_files_in(const std::string& path);

class RunDirectory {
 public:
  // Makes the directory (an existing one must be empty: InvalidInput) and takes it for this run.
  static RunDirectory create(const std::string& path);
  // Takes an existing one; throws InvalidInput if it is none, or a run is still writing there.
  static RunDirectory open(const std::string& path);
  // The same for reading only, beside other readers.
  static RunDirectory look(const std::string& path);
  ~RunDirectory();
  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&&) = delete;

  const std::string& path() const { return path_; }
  std::string experiment_file() const { return path_ + "/experiment.toml"; }
  std::string database_file() const { return path_ + "/run.sqlite"; }
  std::string report_file() const { return path_ + "/report.json"; }
  // Where one try keeps its raw files; `index` is the arm's position in the experiment.
  std::string try_directory(std::size_t index, const TryKey& key) const;
  // The note files of all tries that have one, in order.
  std::vector<std::string> note_files() const { return note_files_in(path_); }

 private:
  RunDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_;
};

// "results/NAME-TIMESTAMP", one that does not exist yet. The time is UTC.
std::string fresh_run_path(std::string_view experiment_name);

}  // namespace retrystorm
