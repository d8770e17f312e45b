// The formats of a report, by name.
#pragma once

#include "core/terminal.hpp"
#include "experiments/report/report.hpp"

#include <array>
#include <string>
#include <string_view>

namespace retrystorm {

enum class ReportFormat : std::uint8_t { table, json, html, markdown, csv };
inline constexpr std::array<std::string_view, 5> report_format_names = {"table", "json", "html",
                                                                        "markdown", "csv"};

// The report as text. `directory` is the run's: the HTML page takes its series from the database
// there. `look` is for a table on a terminal.
std::string report_text(const Report& report, ReportFormat format, const std::string& directory,
                        const Look& look = {});

// Writes DIRECTORY/report.html and returns its path. Throws RunFailed.
std::string write_report_page(const Report& report, const std::string& directory);

}  // namespace retrystorm
