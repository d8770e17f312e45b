// Single bits turned over in a file, one after the other.
#pragma once

#include "core/files.hpp"

#include <cstddef>
#include <fstream>
#include <random>
#include <string>

namespace retrystorm {

inline void overwrite(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Calls look(byte, bit) with the file altered in one bit at or after `from`, `times` times; the
// file is whole again afterwards.
template <typename Look>
void flip_bits(const std::string& path, std::size_t from, int times, std::mt19937_64& random,
               Look look) {
  const std::string whole = read_file(path);
  std::uniform_int_distribution<std::size_t> byte(from, whole.size() - 1);
  std::uniform_int_distribution<int> bit(0, 7);
  for (int i = 0; i < times; ++i) {
    std::string bytes = whole;
    const std::size_t at = byte(random);
    const int which = bit(random);
    bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << which));
    overwrite(path, bytes);
    look(at, which);
  }
  overwrite(path, whole);
}

}  // namespace retrystorm
