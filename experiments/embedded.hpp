// Text files of the source tree that the program carries with it: the SQL of the ledger and the
// published numbers. CMake turns them into code.
#pragma once

#include <span>
#include <string_view>

namespace retrystorm {

struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

// experiments/ledger.sql.
extern const std::string_view ledger_sql;

// experiments/published/*.toml.
std::span<const EmbeddedFile> published_files();

}  // namespace retrystorm
