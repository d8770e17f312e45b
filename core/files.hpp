// Files read and written as a whole, and their names: never half a file, and one clear error.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace retrystorm {

// Reads a whole file; throws InvalidInput when it cannot be read, and for a named pipe or a device,
// which would be waited for, maybe without end. What a shell hands over in place of a file,
// `<(..)`, is read to its end.
std::string read_file(std::string_view path);

// The same piece by piece, for files that need not stand in memory at once.
void read_pieces(const std::string& path, const std::function<void(std::string_view)>& take);

// The file's text replaced as a whole: never half of it, and on failure nothing is left behind. A
// link is followed, and what is no file (a pipe, /dev/stdout) is written to; a named pipe that
// nobody reads is not waited for. Throws RunFailed.
void write_whole(const std::string& path, std::string_view text);

// What an errno of a write means to people: a full disk is named as that.
std::string write_error_text(int error);

// Makes a directory and its parents; throws RunFailed.
void make_directories(const std::string& path);

// `name` as a file name: what is not a letter, digit or one of "=._-" becomes '-'.
std::string file_name(std::string_view name);

// Writes `size` bytes to a descriptor, however often that takes. Returns an errno, 0 when all is
// out; `done` counts the bytes that went out.
int write_all(int file, const void* bytes, std::size_t size, std::size_t& done);

}  // namespace retrystorm
