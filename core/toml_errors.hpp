// What is wrong with a TOML file: told all at once, in the order of the file, each with the line it
// stands on and a mark beneath.
#pragma once

#include "core/invalid_file.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

namespace retrystorm {

// "file:3" of what begins there.
std::string at_line(std::string_view file, const toml::source_region& source);

// The line of `text` with its number, and a caret beneath the column; both count from 1. Without a
// line end after it.
std::string excerpt(std::string_view text, toml::source_position at);

// Invalid input at a place of a TOML file.
class InvalidToml : public InvalidInput {
 public:
  InvalidToml(std::string_view file, const toml::source_region& source, std::string_view field,
              std::string_view remedy)
      : InvalidInput(at_line(file, source), field, remedy), at(source.begin) {}
  toml::source_position at;
};

// Gathers the errors of one file.
class TomlErrors {
 public:
  // `text` must outlive it; empty if it is not at hand: then there are no excerpts.
  TomlErrors(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  const std::string& file() const { return file_; }

  // Does `read`; an InvalidInput is kept, as one of `at` unless it says itself where it stands.
  template <typename Read>
  void gather(const toml::source_region& at, Read read) {
    try {
      read();
    } catch (const InvalidToml& error) {
      add(error.at, error.what());
    } catch (const InvalidInput& error) {
      add(at.begin, error.what());
    }
  }

  // Throws an InvalidFile of all that was kept, if anything was.
  void throw_any() const;

 private:
  struct Kept {
    toml::source_position at;
    std::string line;
  };
  void add(toml::source_position at, std::string line);

  std::string_view text_;
  std::string file_;
  std::vector<Kept> kept_;
};

}  // namespace retrystorm
