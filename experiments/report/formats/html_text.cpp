#include "experiments/report/formats/html_text.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "experiments/report/words/words.hpp"

#include <algorithm>
#include <cctype>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return result;
}

// Where `word` stands in `text` as a whole word (or its plural); npos if it does not.
std::size_t find_word(const std::string& text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || (!is_letter(text[at - 1]) && text[at - 1] != '.');
    const std::size_t after = end < text.size() && text[end] == 's' ? end + 1 : end;
    if (starts && (after >= text.size() || !is_letter(text[after]))) return at;
  }
  return text.npos;
}

std::string_view kind_class(TableRow::Kind kind) {
  switch (kind) {
    case TableRow::Kind::plain:
      return "";
    case TableRow::Kind::measured:
      return "measured";
    case TableRow::Kind::predicted:
      return "predicted";
    case TableRow::Kind::published:
      return "published";
  }
  return "";
}

std::string cell_html(const Cell& cell, bool label) {
  if (label) {
    // Short names stay on one line; long ones may break anywhere.
    const std::string_view cls = cell.text.size() <= 28 ? " class=\"short\"" : "";
    return fmt::format("<th scope=\"row\"{}>{}</th>", cls, html_escaped(cell.text));
  }
  if (cell.path.empty() || !cell.value) return fmt::format("<td>{}</td>", html_escaped(cell.text));
  return fmt::format("<td{}>{}</td>", html_data(cell.path, *cell.value), html_escaped(cell.text));
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text, text.size() * 4 + 1)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string html_data(std::string_view path, double value) {
  return fmt::format(" data-path=\"{}\" data-value=\"{}\"", html_escaped(path),
                     boost::json::serialize(json_number(value)));
}

std::string script_escaped(std::string_view json) {
  std::string result;
  for (const char c : json) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

std::string html_with_terms(std::string_view text) {
  // Links are put in from the back, so that what is already placed does not move.
  const std::string escaped = html_escaped(text);
  const std::string searched = lower(escaped);
  struct Link {
    std::size_t at;
    std::size_t size;
    std::string_view id;
  };
  std::vector<Link> links;
  for (const Term& term : glossary()) {
    const std::size_t at = find_word(searched, term.word);
    if (at == searched.npos) continue;
    const std::size_t end = at + term.word.size();
    const bool taken = std::any_of(links.begin(), links.end(),
                                   [&](const Link& l) { return at < l.at + l.size && l.at < end; });
    if (!taken) links.push_back({at, term.word.size(), term.id});
  }
  std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.at > b.at; });
  std::string result = escaped;
  for (const Link& link : links) {
    result.insert(link.at + link.size, "</a>");
    result.insert(link.at, fmt::format("<a class=\"term\" href=\"#term-{}\">", link.id));
  }
  return result;
}

std::string html_table(const Table& table, std::string_view caption, bool link_terms) {
  std::string html = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                     html_escaped(caption) + "\"><table" +
                     (table.long_labels ? " class=\"long-labels\"" : "") + "><caption>" +
                     html_escaped(caption) + "</caption><thead><tr>";
  for (std::size_t i = 0; i < table.headings.size(); ++i) {
    html += fmt::format(
        "<th scope=\"col\"{}>{}</th>", i < table.labels ? " class=\"label\"" : "",
        link_terms ? html_with_terms(table.headings[i]) : html_escaped(table.headings[i]));
  }
  html += "</tr></thead><tbody>\n";
  for (const TableRow& row : table.rows) {
    std::string classes(kind_class(row.kind));
    if (row.first_of_group) classes += classes.empty() ? "first" : " first";
    if (row.stands_out) classes += classes.empty() ? "stands-out" : " stands-out";
    html += classes.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", classes);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      html += cell_html(row.cells[i], i < table.labels);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string filled(std::string_view page, const HtmlSlots& slots) {
  std::string result;
  for (;;) {
    const std::size_t open = page.find("{{");
    if (open == page.npos) return result += page;
    const std::size_t close = page.find("}}", open);
    result += page.substr(0, open);
    result += slots.at(std::string(page.substr(open + 2, close - open - 2)));
    page.remove_prefix(close + 2);
  }
}

}  // namespace retrystorm
