#include "core/toml_errors.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// More of them than anybody reads at once.
constexpr std::size_t most_told = 20;

// Of a line that is longer, so much before the mark and in all, in characters.
constexpr std::size_t most_before = 50;
constexpr std::size_t most_shown = 72;

std::string_view line_of(std::string_view text, std::size_t number) {
  for (; number > 1; --number) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  return text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
}

// Its characters, each as it is shown; a byte that is none is one of its own.
std::vector<std::string> characters(std::string_view line) {
  std::vector<std::string> all;
  while (!line.empty()) {
    std::size_t length = 1;
    const auto continues = [&](std::size_t i) {
      return i < line.size() && (static_cast<unsigned char>(line[i]) & 0xC0) == 0x80;
    };
    while (length < 4 && continues(length)) ++length;
    all.push_back(line.front() == '\t' ? " " : printable(line.substr(0, length)));
    line.remove_prefix(length);
  }
  return all;
}

// How many columns of the terminal it takes: of a letter beyond ASCII one, as most do.
std::size_t width_of(const std::string& character) {
  return static_cast<std::size_t>(std::count_if(character.begin(), character.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::string at_line(std::string_view file, const toml::source_region& source) {
  return fmt::format("{}:{}", file, source.begin.line);
}

std::string excerpt(std::string_view text, toml::source_position at) {
  const std::vector<std::string> line = characters(line_of(text, at.line));
  const std::size_t mark = std::min<std::size_t>(at.column > 0 ? at.column - 1 : 0, line.size());
  const std::size_t from = mark > most_before ? mark - most_before : 0;
  const std::size_t to = std::min(line.size(), from + most_shown);
  std::string shown = from > 0 ? "..." : "";
  std::size_t before = shown.size();
  for (std::size_t i = from; i < to; ++i) {
    shown += line[i];
    if (i < mark) before += width_of(line[i]);
  }
  if (to < line.size()) shown += "...";
  return fmt::format("{:>5} | {}\n      | {}^", at.line, shown, std::string(before, ' '));
}

void TomlErrors::add(toml::source_position at, std::string line) {
  kept_.push_back({at, std::move(line)});
}

void TomlErrors::throw_any() const {
  if (kept_.empty()) return;
  std::vector<Kept> sorted = kept_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Kept& a, const Kept& b) {
    return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
  });
  std::vector<InvalidFile::Mistake> mistakes;
  for (const Kept& one : sorted) {
    if (mistakes.size() == most_told) {
      mistakes.push_back({fmt::format("{}: {} more are not shown", printable(file_, 300),
                                      sorted.size() - most_told),
                          ""});
      break;
    }
    mistakes.push_back({one.line, text_.empty() ? std::string() : excerpt(text_, one.at)});
  }
  throw InvalidFile(file_, std::move(mistakes));
}

}  // namespace retrystorm
