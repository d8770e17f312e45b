#include "experiments/report/formats/format.hpp"

#include "core/files.hpp"
#include "core/json.hpp"
#include "experiments/evidence/run_directory.hpp"
#include "experiments/report/formats/csv.hpp"
#include "experiments/report/formats/html.hpp"
#include "experiments/report/formats/markdown.hpp"
#include "experiments/report/formats/table.hpp"

#include <boost/json/value.hpp>

namespace retrystorm {

std::string report_text(const Report& report, ReportFormat format, const std::string& directory,
                        const Look& look) {
  switch (format) {
    case ReportFormat::table:
      break;
    case ReportFormat::json:
      return pretty_json(to_json(report));
    case ReportFormat::html:
      return report_html(report, pictures_of(report, directory), directory);
    case ReportFormat::markdown:
      return report_markdown(report, directory);
    case ReportFormat::csv:
      return report_csv(report);
  }
  return report_table(report, directory, look);
}

std::string write_report_page(const Report& report, const std::string& directory) {
  const std::string file = directory + "/report.html";
  write_whole(file, report_text(report, ReportFormat::html, directory));
  return file;
}

}  // namespace retrystorm
