// The report as one HTML file that fetches nothing: words and tables written here, pictures drawn
// when it is opened, by the vendored uPlot and the scripts of formats/page/, from data in the
// file. All text that came from elsewhere is escaped.
#pragma once

#include "experiments/evidence/series.hpp"
#include "experiments/report/report.hpp"
#include "model/simulate/course.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

// Goodput against load for the arms of one row of the layout.
struct Cliff {
  std::string label;
  std::vector<std::size_t> arms;
  std::vector<CliffPoint> predicted;  // empty if the run predicted nothing
};

// What the pictures show beside the report's own figures; by arm.
struct Pictures {
  std::vector<std::optional<Series>> measured;
  std::vector<std::optional<PredictedSeries>> predicted;
  std::vector<Cliff> cliffs;
};

// Reads the series of the measured tries from the run's database (if the directory has one) and
// makes the predicted ones.
Pictures pictures_of(const Report& report, const std::string& directory);

// The page. `directory` is the run directory, for the commands that show how to repeat the run.
std::string report_html(const Report& report, const Pictures& pictures, std::string_view directory);

// The data of the pictures, as the scripts read it.
boost::json::value picture_data(const Report& report, const Pictures& pictures);

}  // namespace retrystorm
