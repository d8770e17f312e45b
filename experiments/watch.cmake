# Prometheus beside a run, and the live page. Included by CMakeLists.txt.

# dashboards/ as code: what `run --watch` serves and `rules` prints.
set(DASHBOARDS ${PROJECT_SOURCE_DIR}/dashboards)
file(GLOB DASHBOARD_PATHS CONFIGURE_DEPENDS RELATIVE ${DASHBOARDS}
  ${DASHBOARDS}/retrystorm.json ${DASHBOARDS}/rules/*.yaml ${DASHBOARDS}/live/* ${DASHBOARDS}/vendor/uplot/*)
set(DASHBOARD_FILES "")
foreach(path ${DASHBOARD_PATHS})
  file(READ ${DASHBOARDS}/${path} text)
  string(APPEND DASHBOARD_FILES "    {\"${path}\", R\"~text~(${text})~text~\"},\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${DASHBOARDS}/${path})
endforeach()
configure_file(dashboard_files.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/dashboard_files.cpp @ONLY)

target_sources(retrystorm_experiments PRIVATE
  ${CMAKE_CURRENT_BINARY_DIR}/dashboard_files.cpp
  live_page.cpp
  prometheus.cpp
  prometheus_api.cpp
  reserved_port.cpp
  rule_scale.cpp
  scraped.cpp
)
target_link_libraries(retrystorm_experiments PUBLIC retrystorm_net)
