#include "model/oncall/assumptions.hpp"

#include "model/oncall/constants.hpp"

#include <fmt/format.h>

namespace retrystorm::oncall {
namespace {

// The words of `text` in lines of at most `width`, the later ones indented.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (column > indent && column + 1 + word.size() > width) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  }
  return result;
}

}  // namespace

std::string assumptions_text() {
  constexpr std::size_t indent = 14;
  constexpr std::size_t width = 100;
  std::string text = "Rules (ours)\n";
  std::string_view about;
  for (const Assumption& one : assumptions) {
    text += fmt::format("  {:{}}{}\n", one.about == about ? "" : one.about, indent - 2,
                        wrapped(one.rule, indent, width));
    about = one.about;
  }
  text += "\nConstants (ours)\n";
  const Constants defaults;
  for (const Constant& c : constants()) {
    if (!c.published) {
      text += fmt::format("  {:26}{:10}{}\n", c.name, value_text(c, defaults), c.help);
    }
  }
  return text;
}

}  // namespace retrystorm::oncall
