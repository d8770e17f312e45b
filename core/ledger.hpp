// Ledger files: appended to from a writer thread while a run goes on, read back afterwards. The hot
// path only fills a buffer; what a killed process loses is at most its last tenth of a second or
// so.
#pragma once

#include "core/digest.hpp"
#include "core/record.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace retrystorm {

// The header value "RUN-REQUEST-ATTEMPT" and back; nothing for text of another shape.
std::string format_attempt_id(const AttemptId& id);
std::optional<AttemptId> parse_attempt_id(std::string_view text);
// A run token as its 16 hexadecimal digits, and back.
std::string format_token(std::uint64_t token);
std::optional<std::uint64_t> parse_token(std::string_view text);
// A random token that is not 0.
std::uint64_t fresh_token();

// One growing file of records of one kind.
class LedgerFile {
 public:
  // Creates the file (and writes its header); throws RunFailed if that fails.
  LedgerFile(std::string path, const RecordFileHeader& header);
  ~LedgerFile();
  LedgerFile(const LedgerFile&) = delete;
  LedgerFile& operator=(const LedgerFile&) = delete;

  // Buffers one record. Cheap: an uncontended lock and a copy.
  template <typename Record>
  void add(const Record& record) {
    add_bytes(&record, sizeof record);
  }

  // Writes what is buffered: the writer thread's part.
  void flush();

  // Records that could not be written (disk full, no memory, buffer at its bound), and the first
  // reason.
  std::uint64_t lost() const;
  std::string error() const;
  const std::string& path() const { return path_; }
  // Of what was written so far, made as it was written: what the file must still be when it is
  // read. Not while another thread flushes.
  std::string sha256() const { return sha_.hex(); }

 private:
  void add_bytes(const void* record, std::size_t size);
  void fail(std::string_view what, std::size_t bytes);

  std::string path_;
  std::size_t record_size_;
  int file_ = -1;
  std::size_t written_ = 0;  // whole records and header, in bytes
  Sha256 sha_;               // of these
  mutable std::mutex mutex_;
  std::vector<std::byte> filling_;
  std::vector<std::byte> writing_;
  std::uint64_t lost_ = 0;
  std::string error_;
};

// The files of one process and the thread that writes them.
class Ledger {
 public:
  // No directory: records are dropped at no cost to the caller (open() gives nullptr).
  Ledger(std::string directory, std::uint64_t token);
  // Writes the rest and stops the thread.
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Creates KIND-THREAD.bin; nullptr without a directory. Throws RunFailed, and InvalidInput where
  // that holds records: what was measured is not written over.
  LedgerFile* open(RecordKind kind, std::uint32_t thread, std::int64_t origin);

  // Writes everything buffered now.
  void flush();

  std::uint64_t lost() const;
  std::string error() const;
  // The SHA-256 of each file as it was written so far, by its name; of all of it after a flush().
  std::map<std::string, std::string> digests() const;

 private:
  void write_until_stopped();

  std::string directory_;
  std::uint64_t token_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::vector<std::unique_ptr<LedgerFile>> files_;
  std::thread writer_;
};

// A ledger file read back.
template <typename Record>
struct LedgerContent {
  std::string path;
  RecordFileHeader header{};
  std::vector<Record> records;
  std::size_t torn_bytes = 0;  // an incomplete last record, of a killed process
  std::string sha256;          // of the whole file, as it was read
};

// Reads a whole file; throws InvalidInput if it is no ledger file of that kind and version, or no
// file at all.
template <typename Record>
LedgerContent<Record> read_ledger(const std::string& path);

}  // namespace retrystorm
