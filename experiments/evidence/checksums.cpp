#include "experiments/evidence/checksums.hpp"

#include "core/digest.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "experiments/evidence/kept_recordings.hpp"
#include "experiments/evidence/run_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

using Sums = std::map<std::string, std::string, std::less<>>;

std::string file_of(const std::string& directory) {
  return directory + "/SHA256SUMS";
}

// Lines of a digest, two spaces and a name.
Sums read_sums(const std::string& directory) {
  const std::string file = file_of(directory);
  std::error_code error;
  Sums sums;
  if (!fs::exists(file, error) && !error) return sums;
  const std::string text = read_file(file);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.size() < 67 || !is_sha256(line.substr(0, 64)) || line.substr(64, 2) != "  ") {
      throw InvalidInput(file, "",
                         "is damaged: a line must be a SHA-256, two spaces and the name of a file");
    }
    sums[std::string(line.substr(66))] = line.substr(0, 64);
  }
  if (sums.empty()) throw InvalidInput(file, "", "is damaged: it is empty");
  return sums;
}

void write_sums(const std::string& directory, const Sums& sums) {
  std::string text;
  for (const auto& [name, digest] : sums) text += fmt::format("{}  {}\n", digest, name);
  write_whole(file_of(directory), text);
}

}  // namespace

Checksums::Checksums(const std::string& directory)
    : directory_(directory), sums_(read_sums(directory)) {}

std::string Checksums::difference(std::string_view name, const std::string& now) const {
  const auto then = sums_.find(name);
  if (then == sums_.end() || then->second == now) return {};
  return fmt::format("is not what the run wrote: its SHA-256 is {} and was {}", now, then->second);
}

std::string Checksums::alteration(std::string_view name) const {
  if (!has(name)) return {};
  return difference(name, sha256_of_file(fmt::format("{}/{}", directory_, name)));
}

std::string Checksums::alteration(std::string_view name, std::string_view bytes) const {
  return has(name) ? difference(name, sha256_of(bytes)) : std::string();
}

void Checksums::require(std::string_view name, std::string_view remedy) const {
  const std::string what = alteration(name);
  if (what.empty()) return;
  throw InvalidInput(fmt::format("{}/{}", directory_, name), "",
                     remedy.empty() ? what : fmt::format("{}; {}", what, remedy));
}

void write_checksums(const std::string& directory) {
  std::vector<std::string> files = note_files_in(directory);
  for (const char* name : {"experiment.toml", "run.sqlite", "report.json"}) {
    files.push_back(directory + "/" + name);
  }
  for (const std::string& name : kept_recordings(directory)) {
    files.push_back(directory + "/" + name);
  }
  Sums sums;
  for (const std::string& file : files) {
    std::error_code error;
    if (!fs::exists(file, error)) continue;
    sums[file.substr(directory.size() + 1)] = sha256_of_file(file);
  }
  write_sums(directory, sums);
}

void renew_checksum(const std::string& directory, const std::string& name) {
  Sums sums = read_sums(directory);
  if (sums.empty()) return;
  sums[name] = sha256_of_file(directory + "/" + name);
  write_sums(directory, sums);
}

}  // namespace retrystorm
