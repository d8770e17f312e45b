// The report as Markdown: the same words and tables as the HTML page, without its pictures, for
// design documents and for reviewing two reports as a diff.
#pragma once

#include "experiments/report/report.hpp"

#include <string>
#include <string_view>

namespace retrystorm {

// `directory` is the run directory, for the commands that repeat the run.
std::string report_markdown(const Report& report, std::string_view directory);

// `text` with the characters escaped that mean something in Markdown or HTML.
std::string markdown_escaped(std::string_view text);

}  // namespace retrystorm
