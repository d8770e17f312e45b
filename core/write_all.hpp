// write() until all of it is out.
#pragma once

#include <cstddef>

namespace retrystorm {

// Writes `size` bytes to a descriptor, however often that takes. Returns an errno, 0 when all is
// out; `done` counts the bytes that went out.
int write_all(int file, const void* bytes, std::size_t size, std::size_t& done);

}  // namespace retrystorm
