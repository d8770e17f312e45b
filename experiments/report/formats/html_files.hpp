// The pages, styles and scripts of experiments/report/formats/page/ and the vendored uPlot, as the
// program carries them. CMake turns the files into code (html_files.cpp.in).
#pragma once

#include <string_view>

namespace retrystorm::html_files {

extern const std::string_view uplot_css, uplot_js;
extern const std::string_view report_page, report_css;
extern const std::string_view history_page, history_js;
extern const std::string_view charts_js, figures_js, scatter_js, page_js;

}  // namespace retrystorm::html_files
