#include "core/recording_source.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace retrystorm {
namespace {

constexpr std::array<std::string_view, 4> unit_words = {"ns", "us", "ms", "s"};
constexpr std::size_t longest = 4096;
constexpr std::int64_t most_columns = 10'000;

// Takes one of the words behind the file; false for what is none of them, or the second of a kind.
bool take(RecordingSource& source, std::string_view word, bool& has_unit) {
  const auto unit = std::find(unit_words.begin(), unit_words.end(), word);
  if (unit != unit_words.end()) {
    if (has_unit) return false;
    has_unit = true;
    source.unit = *unit;
    return true;
  }
  if (word == "first") {
    if (source.first) return false;
    source.first = true;
    return true;
  }
  const auto column = parse_integer(word);
  if (!column || *column < 1 || *column > most_columns || source.column) return false;
  source.column = static_cast<std::size_t>(*column);
  return true;
}

}  // namespace

RecordingSource read_source(std::string_view text, std::string& remedy) {
  RecordingSource source;
  bool has_unit = false;
  std::string_view file = text;
  for (std::size_t colon = file.rfind(':'); colon != file.npos; colon = file.rfind(':')) {
    if (!take(source, file.substr(colon + 1), has_unit)) break;
    file = file.substr(0, colon);
  }
  source.file = file;
  remedy.clear();
  if (file.empty() || text.size() > longest || printable(text, longest) != text) {
    remedy = source_remedy;
  }
  return source;
}

std::optional<std::string> source_in(const FieldValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (!text) return std::nullopt;
  if (*text == "none") return std::string();
  std::string remedy;
  read_source(*text, remedy);
  return remedy.empty() ? std::optional(*text) : std::nullopt;
}

std::string within_folder(std::string_view folder, std::string_view source) {
  return (std::filesystem::path(folder) / source).string();
}

std::string absolute_source(std::string_view source) {
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  return error ? std::string(source) : (here / source).string();
}

}  // namespace retrystorm
