// Files read and written as a whole, and their names: never half a file, and one clear error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace retrystorm {

// Reads a whole file; throws InvalidInput when it cannot be read.
std::string read_file(std::string_view path);

// The file's text replaced as a whole: never half of it, and on failure nothing is left behind. A
// link is followed, and what is no file (a pipe, /dev/stdout) is written to. Throws RunFailed.
void write_whole(const std::string& path, std::string_view text);

// Makes a directory and its parents; throws RunFailed.
void make_directories(const std::string& path);

// `name` as a file name: what is not a letter, digit or one of "=._-" becomes '-'.
std::string file_name(std::string_view name);

// Writes `size` bytes to a descriptor, however often that takes. Returns an errno, 0 when all is
// out; `done` counts the bytes that went out.
int write_all(int file, const void* bytes, std::size_t size, std::size_t& done);

}  // namespace retrystorm
