#include "experiments/evidence/raw_ledgers.hpp"

#include "core/error.hpp"
#include "experiments/evidence/plausible.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view ledger_kinds[] = {"attempts", "requests", "arrivals"};

bool is_of(std::string_view kind, const std::string& name) {
  return name.starts_with(fmt::format("{}-", kind)) && name.ends_with(".bin");
}

// The names of the files of one kind, in order.
std::vector<std::string> names_in(const std::string& directory, std::string_view kind) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (is_of(kind, name)) names.push_back(name);
  }
  if (error) throw InvalidInput(directory, "", error.message());
  std::sort(names.begin(), names.end());
  return names;
}

std::string alteration(const std::string& now, const std::string& then) {
  return fmt::format("is not what was written: its SHA-256 is {} and was {}", now, then);
}

void check_digest(const std::string& path, const std::string& name, const std::string& now,
                  const LedgerDigests& digests) {
  if (digests.empty()) return;
  const auto then = digests.find(name);
  if (then == digests.end()) {
    throw InvalidInput(path, "", "is no file of this try: its try.json does not know it");
  }
  if (then->second != now) throw InvalidInput(path, "", alteration(now, then->second));
}

template <typename Record>
std::vector<LedgerContent<Record>> read_files(const std::string& directory, std::string_view kind,
                                              std::uint64_t token, const LedgerDigests& digests,
                                              std::vector<std::string>& gaps) {
  std::vector<LedgerContent<Record>> result;
  const std::vector<std::string> names = names_in(directory, kind);
  for (const std::string& name : names) {
    const std::string path = directory + "/" + name;
    std::error_code error;
    // A process killed at its very start leaves a file without a whole header.
    if (fs::is_regular_file(path, error) && fs::file_size(path, error) < sizeof(RecordFileHeader) &&
        !error) {
      check_digest(path, name, sha256_of_file(path), digests);
      gaps.push_back(fmt::format("{} file: header torn", kind));
      continue;
    }
    LedgerContent<Record> content = read_ledger<Record>(path);
    check_digest(path, name, content.sha256, digests);
    if (content.header.token != token) {
      throw InvalidInput(path, "",
                         fmt::format("belongs to another run: its token is {}, not {}",
                                     format_token(content.header.token), format_token(token)));
    }
    if (content.torn_bytes > 0) gaps.push_back(fmt::format("{} file: last record torn", kind));
    result.push_back(std::move(content));
  }
  if (names.empty()) {
    gaps.push_back(fmt::format("{} file: missing", kind));
    return result;
  }
  // One of several threads' files alone would leave no other trace.
  for (const auto& [name, digest] : digests) {
    if (is_of(kind, name) && !std::binary_search(names.begin(), names.end(), name)) {
      gaps.push_back(fmt::format("{}: missing", name));
    }
  }
  return result;
}

// The schedule start of the generator, or, if it left no ledger, the first arrival.
std::int64_t origin_of(const RawLedgers& raw, const std::string& directory) {
  std::set<std::int64_t> origins;
  for (const auto& file : raw.attempts) origins.insert(file.header.origin);
  for (const auto& file : raw.requests) origins.insert(file.header.origin);
  if (origins.size() > 1) {
    throw InvalidInput(directory, "", "is damaged: its ledgers disagree on when the run began");
  }
  if (!origins.empty()) return *origins.begin();
  std::int64_t origin = INT64_MAX;
  for (const auto& file : raw.arrivals) {
    for (const ArrivalRecord& r : file.records) origin = std::min(origin, r.arrived);
  }
  return origin == INT64_MAX ? 0 : origin;
}

template <typename Record>
void check_records(const std::vector<LedgerContent<Record>>& files, const RunBounds& run) {
  for (const auto& file : files) {
    for (std::size_t i = 0; i < file.records.size(); ++i) {
      const std::string_view what = implausible(file.records[i], run);
      if (what.empty()) continue;
      throw InvalidInput(file.path, fmt::format("record {}", i),
                         fmt::format("is damaged: {}", what));
    }
  }
}

}  // namespace

RawLedgers read_raw_ledgers(const std::string& directory, std::uint64_t token,
                            const Scenario& scenario, const LedgerDigests& digests) {
  RawLedgers raw;
  raw.attempts = read_files<AttemptRecord>(directory, ledger_kinds[0], token, digests, raw.gaps);
  raw.requests = read_files<RequestRecord>(directory, ledger_kinds[1], token, digests, raw.gaps);
  raw.arrivals = read_files<ArrivalRecord>(directory, ledger_kinds[2], token, digests, raw.gaps);
  raw.origin = origin_of(raw, directory);
  const RunBounds run = bounds_of(scenario, raw.origin);
  check_records(raw.attempts, run);
  check_records(raw.requests, run);
  check_records(raw.arrivals, run);
  return raw;
}

LedgerDigests digests_of_try(const std::string& directory, LedgerDigests told) {
  for (const std::string_view kind : ledger_kinds) {
    for (const std::string& name : names_in(directory, kind)) {
      if (!told.contains(name)) told[name] = sha256_of_file(directory + "/" + name);
    }
  }
  return told;
}

std::vector<std::string> altered_ledgers(const std::string& directory,
                                         const LedgerDigests& digests) {
  std::vector<std::string> altered;
  for (const auto& [name, then] : digests) {
    const std::string path = directory + "/" + name;
    std::error_code error;
    if (!fs::exists(path, error) && !error) continue;
    try {
      const std::string now = sha256_of_file(path);
      if (now != then) altered.push_back(fmt::format("{} {}", name, alteration(now, then)));
    } catch (const InvalidInput& unreadable) {
      altered.push_back(unreadable.what());
    }
  }
  return altered;
}

}  // namespace retrystorm
