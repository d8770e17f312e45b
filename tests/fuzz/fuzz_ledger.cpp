// Any bytes as a ledger file of each kind: refused in one line, or so many whole records and the
// torn rest.
#include "core/error.hpp"
#include "core/ledger.hpp"

#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

template <typename Record>
void read_as(const std::string& path, std::size_t size) {
  using namespace retrystorm;
  try {
    const auto content = read_ledger<Record>(path);
    const std::size_t told =
        sizeof(RecordFileHeader) + content.records.size() * sizeof(Record) + content.torn_bytes;
    if (told != size) std::abort();
  } catch (const InvalidInput&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace retrystorm;
  const int file = ::memfd_create("ledger", MFD_CLOEXEC);
  if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = fmt::format("/proc/self/fd/{}", file);
  read_as<AttemptRecord>(path, size);
  read_as<RequestRecord>(path, size);
  read_as<ArrivalRecord>(path, size);
  ::close(file);
  return 0;
}
