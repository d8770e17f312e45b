// Several errors of one file at once: each its line, and the place where it stands to show beneath.
#pragma once

#include "core/error.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace retrystorm {

class InvalidFile : public InvalidInput {
 public:
  struct Mistake {
    std::string line;
    std::string excerpt;  // lines, the last without its end; may be empty
  };
  // At least one; what() is the line of the first.
  InvalidFile(std::string_view file, std::vector<Mistake> mistakes)
      : InvalidInput(file, "", ""), mistakes_(std::move(mistakes)) {}

  const char* what() const noexcept override { return mistakes_.front().line.c_str(); }
  const std::vector<Mistake>& mistakes() const { return mistakes_; }

 private:
  std::vector<Mistake> mistakes_;
};

}  // namespace retrystorm
