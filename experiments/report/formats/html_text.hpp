// Text into HTML: escaping, links from words to their definitions, tables.
#pragma once

#include "experiments/report/tables.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace retrystorm {

// `text` with the characters escaped that mean something in HTML text and quoted attributes.
// Control characters and bytes that are not valid UTF-8 become \xNN.
std::string html_escaped(std::string_view text);

// JSON for a <script> element: no '<' in it can end the element.
std::string script_escaped(std::string_view json);

// The escaped text, with the first mention of each glossary word linked to its definition.
std::string html_with_terms(std::string_view text);

// A table that scrolls sideways where it is wider than the page. Cells that show a figure of
// report.json carry its path and value (data-path, data-value). `link_terms`: the page has the
// definitions.
std::string html_table(const Table& table, std::string_view caption, bool link_terms = true);

// Attributes that say which figure of report.json an element shows.
std::string html_data(std::string_view path, double value);

// Puts each slot's text in place of {{slot}} in a page; what is put in is not searched again.
using HtmlSlots = std::map<std::string, std::string, std::less<>>;
std::string filled(std::string_view page, const HtmlSlots& slots);

}  // namespace retrystorm
