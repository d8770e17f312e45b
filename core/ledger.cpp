#include "core/ledger.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/start_thread.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <new>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace retrystorm {
namespace {

constexpr std::array<std::string_view, 4> kind_names = {"", "attempts", "requests", "arrivals"};

constexpr std::size_t longest_reason = 200;  // why a row was lost, in bytes

// A disk that does not keep up may not eat the memory of the machine.
constexpr std::size_t most_buffered = std::size_t{512} << 20;

template <typename Number>
std::optional<Number> whole_number(std::string_view text, int base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string format_token(std::uint64_t token) {
  return fmt::format("{:016x}", token);
}

std::optional<std::uint64_t> parse_token(std::string_view text) {
  if (text.size() != 16) return std::nullopt;
  return whole_number<std::uint64_t>(text, 16);
}

std::uint64_t fresh_token() {
  std::random_device source;
  std::uint64_t token = 0;
  while (token == 0) token = static_cast<std::uint64_t>(source()) << 32 | source();
  return token;
}

std::string format_attempt_id(const AttemptId& id) {
  return fmt::format("{:016x}-{}-{}", id.token, id.request, id.attempt);
}

std::optional<AttemptId> parse_attempt_id(std::string_view text) {
  const std::size_t first = text.find('-');
  const std::size_t second = first == std::string_view::npos ? first : text.find('-', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto token = parse_token(text.substr(0, first));
  const auto request = whole_number<std::uint64_t>(text.substr(first + 1, second - first - 1), 10);
  const auto attempt = whole_number<std::uint32_t>(text.substr(second + 1), 10);
  if (!token || !request || !attempt) return std::nullopt;
  return AttemptId{*token, *request, *attempt};
}

LedgerFile::LedgerFile(std::string path, const RecordFileHeader& header)
    : path_(std::move(path)), record_size_(header.record_size) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0644);
  if (file_ < 0) throw RunFailed(fmt::format("{}: {}", path_, write_error_text(errno)));
  const int failed = write_all(file_, &header, sizeof header, written_);
  if (failed != 0) {
    ::close(file_);
    throw RunFailed(fmt::format("{}: {}", path_, write_error_text(failed)));
  }
  error_.reserve(path_.size() + 2 + longest_reason);
  sha_.add(&header, sizeof header);
  filling_.reserve(std::size_t{1} << 18);
  writing_.reserve(std::size_t{1} << 18);
}

LedgerFile::~LedgerFile() {
  flush();
  ::close(file_);
}

void LedgerFile::add_bytes(const void* record, std::size_t size) {
  const std::lock_guard lock(mutex_);
  if (filling_.size() + size > most_buffered) {
    fail("the disk does not keep up", size);
    return;
  }
  const auto* bytes = static_cast<const std::byte*>(record);
  try {
    filling_.insert(filling_.end(), bytes, bytes + size);
  } catch (const std::bad_alloc&) {
    fail("out of memory", size);
  }
}

void LedgerFile::flush() {
  {
    const std::lock_guard lock(mutex_);
    if (filling_.empty()) return;
    std::swap(filling_, writing_);
  }
  std::size_t done = 0;
  const int failed = write_all(file_, writing_.data(), writing_.size(), done);
  const std::size_t whole = done / record_size_ * record_size_;
  if (failed != 0) {
    // Leave only whole records, so that what comes later (when space is free again) can be read.
    if (::ftruncate(file_, static_cast<off_t>(written_ + whole)) == 0) {
      ::lseek(file_, static_cast<off_t>(written_ + whole), SEEK_SET);
    }
    const std::lock_guard lock(mutex_);
    fail(write_error_text(failed), writing_.size() - whole);
  }
  sha_.add(writing_.data(), whole);
  written_ += whole;
  writing_.clear();
}

void LedgerFile::fail(std::string_view what, std::size_t bytes) {
  lost_ += bytes / record_size_;
  if (!error_.empty()) return;
  // Within what was reserved: it may be memory that is wanting.
  error_.append(path_).append(": ").append(what.substr(0, longest_reason));
}

std::uint64_t LedgerFile::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

std::string LedgerFile::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

Ledger::Ledger(std::string directory, std::uint64_t token)
    : directory_(std::move(directory)), token_(token) {
  if (directory_.empty()) return;
  if (::mkdir(directory_.c_str(), 0755) != 0 && errno != EEXIST) {
    throw RunFailed(fmt::format("{}: {}", directory_, std::strerror(errno)));
  }
  writer_ = start_thread("--ledger", [this] { write_until_stopped(); });
}

Ledger::~Ledger() {
  if (!writer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  writer_.join();
}

LedgerFile* Ledger::open(RecordKind kind, std::uint32_t thread, std::int64_t origin) {
  if (directory_.empty()) return nullptr;
  RecordFileHeader header{};
  std::memcpy(header.magic, record_magic, sizeof record_magic);
  header.version = record_version;
  header.kind = kind;
  header.record_size = kind == RecordKind::attempts   ? sizeof(AttemptRecord)
                       : kind == RecordKind::requests ? sizeof(RequestRecord)
                                                      : sizeof(ArrivalRecord);
  header.thread = thread;
  header.token = token_;
  header.origin = origin;
  const std::string path =
      fmt::format("{}/{}-{}.bin", directory_, kind_names[static_cast<std::size_t>(kind)], thread);
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    throw InvalidInput(path, "--ledger", "is no file; name a new directory");
  }
  // One without a record is of a start that came to nothing.
  if (std::filesystem::is_regular_file(path, error) &&
      std::filesystem::file_size(path, error) > sizeof header) {
    throw InvalidInput(path, "--ledger",
                       "holds records, and is not written over; name a new directory");
  }
  const std::lock_guard lock(mutex_);
  files_.push_back(std::make_unique<LedgerFile>(path, header));
  return files_.back().get();
}

void Ledger::flush() {
  const std::lock_guard lock(mutex_);
  for (const auto& file : files_) file->flush();
}

std::uint64_t Ledger::lost() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& file : files_) sum += file->lost();
  return sum;
}

std::string Ledger::error() const {
  const std::lock_guard lock(mutex_);
  for (const auto& file : files_) {
    if (std::string error = file->error(); !error.empty()) return error;
  }
  return {};
}

std::map<std::string, std::string> Ledger::digests() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::string> all;
  for (const auto& file : files_) {
    all[std::filesystem::path(file->path()).filename().string()] = file->sha256();
  }
  return all;
}

void Ledger::write_until_stopped() {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    wake_.wait_for(lock, 100ms);
    for (const auto& file : files_) file->flush();
  }
}

template <typename Record>
LedgerContent<Record> read_ledger(const std::string& path) {
  const std::string bytes = read_file(path);
  const std::size_t got = bytes.size();
  LedgerContent<Record> content;
  if (got < sizeof content.header) throw InvalidInput(path, "", "not a ledger file: too short");
  std::memcpy(&content.header, bytes.data(), sizeof content.header);
  const RecordFileHeader& h = content.header;
  if (std::memcmp(h.magic, record_magic, sizeof record_magic) != 0) {
    throw InvalidInput(path, "", "not a ledger file: it must start with RTRYSTRM");
  }
  if (h.version != record_version || h.kind != Record::kind || h.record_size != sizeof(Record)) {
    throw InvalidInput(path, "", "a ledger file of another kind or version");
  }
  content.path = path;
  content.sha256 = sha256_of(bytes);
  const std::size_t rest = got - sizeof h;
  content.records.resize(rest / sizeof(Record));
  content.torn_bytes = rest % sizeof(Record);
  if (!content.records.empty()) {
    std::memcpy(content.records.data(), bytes.data() + sizeof h, rest - content.torn_bytes);
  }
  return content;
}

template LedgerContent<AttemptRecord> read_ledger(const std::string&);
template LedgerContent<RequestRecord> read_ledger(const std::string&);
template LedgerContent<ArrivalRecord> read_ledger(const std::string&);

}  // namespace retrystorm
