// Where a recording stands, as a field of the scenario says it: a file, and behind colons what is
// to be known of it, in any order: which column of its lines, the unit of its plain numbers, and
// whether the run begins with the first instant: "arrivals.txt", "trace.csv:2:us", "access.log:4".
#pragma once

#include "core/field.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace retrystorm {

struct RecordingSource {
  std::string file;
  std::optional<std::size_t> column;  // from 1; nothing: a line holds nothing else
  std::string_view unit = "s";        // of numbers that have none: ns, us, ms or s
  bool first = false;                 // the run begins with the first instant
};

// What a text names; `remedy` says what is wrong with it, empty if nothing is.
RecordingSource read_source(std::string_view text, std::string& remedy);

// Of the fields that name one, in words.
inline constexpr std::string_view source_range =
    "FILE, behind it :COLUMN, :UNIT (ns, us, ms, s) and :first, or none";
inline constexpr std::string_view source_remedy =
    "must be none, or a file with a printable name and behind colons its column, its unit (ns, us, "
    "ms or s) or first: arrivals.txt, trace.csv:2:us or access.log:4";

// The source that a field's value names, empty for "none"; nothing for what names none.
std::optional<std::string> source_in(const FieldValue& value);

// The same source seen from elsewhere: its file is at `folder`/file, unless it is absolute.
std::string within_folder(std::string_view folder, std::string_view source);

// The same source with its file as an absolute path.
std::string absolute_source(std::string_view source);

}  // namespace retrystorm
