# The reports: pages and tables, comparison, history, traces. Included by CMakeLists.txt.

# The page's parts as code: NAME FILE ...
set(HTML_FILES "")
function(embed name file)
  file(READ ${file} text)
  set(HTML_FILES "${HTML_FILES}const std::string_view ${name} = R\"~text~(${text})~text~\";\n" PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endfunction()
embed(uplot_css ${PROJECT_SOURCE_DIR}/dashboards/vendor/uplot/uPlot.min.css)
embed(uplot_js ${PROJECT_SOURCE_DIR}/dashboards/vendor/uplot/uPlot.iife.min.js)
embed(report_page ${CMAKE_CURRENT_SOURCE_DIR}/html/report.html)
embed(report_css ${CMAKE_CURRENT_SOURCE_DIR}/html/report.css)
embed(charts_js ${CMAKE_CURRENT_SOURCE_DIR}/html/charts.js)
embed(figures_js ${CMAKE_CURRENT_SOURCE_DIR}/html/figures.js)
embed(scatter_js ${CMAKE_CURRENT_SOURCE_DIR}/html/scatter.js)
embed(history_page ${CMAKE_CURRENT_SOURCE_DIR}/html/history.html)
embed(history_js ${CMAKE_CURRENT_SOURCE_DIR}/html/history.js)
embed(page_js ${CMAKE_CURRENT_SOURCE_DIR}/html/page.js)
configure_file(html_files.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/html_files.cpp @ONLY)

add_library(retrystorm_report STATIC
  ${CMAKE_CURRENT_BINARY_DIR}/html_files.cpp
  compare.cpp
  compare_text.cpp
  history.cpp
  history_text.cpp
  report_csv.cpp
  report_figure.cpp
  report_format.cpp
  report_glossary.cpp
  report_html.cpp
  report_html_data.cpp
  report_html_text.cpp
  report_layout.cpp
  report_markdown.cpp
  report_phrases.cpp
  report_predict.cpp
  report_rerun.cpp
  report_tables.cpp
  report_tables_evidence.cpp
  report_words.cpp
  report_words_verdict.cpp
  series.cpp
  trace.cpp
  trace_chrome.cpp
  trace_svg.cpp
  trace_text.cpp
)
target_link_libraries(retrystorm_report PUBLIC retrystorm_experiments retrystorm_model)
