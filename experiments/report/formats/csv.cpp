#include "experiments/report/formats/csv.hpp"

#include "core/csv_field.hpp"
#include "core/fields.hpp"
#include "core/tally_figures.hpp"
#include "core/units.hpp"
#include "experiments/report/layout.hpp"
#include "experiments/report/tables.hpp"

#include <fmt/format.h>

namespace retrystorm {
namespace {

class Writer {
 public:
  explicit Writer(const Report& report) : varied_(varied_fields(report)) {
    text_ = "arm,source,trusted";
    for (const std::string& field : varied_) text_ += "," + csv_field(field);
    for (const TallyFigure& figure : tally_figures) text_ += fmt::format(",{}", figure.path());
    text_ += "\r\n";
  }

  // `trusted` is empty for what was not measured.
  void line(const ArmReport& arm, std::string_view source, std::string_view trusted,
            const Tally& tally) {
    text_ += fmt::format("{},{},{}", csv_field(arm.name), csv_field(source), trusted);
    for (const std::string& field : varied_) {
      text_ += "," + csv_field(to_text(find_field(field)->get(arm.scenario)));
    }
    for (const TallyFigure& figure : tally_figures) {
      const Count& value = figure.in(tally);
      text_ += "," + (value ? format_number(*value) : std::string());
    }
    text_ += "\r\n";
  }

  std::string take() { return std::move(text_); }

 private:
  std::vector<std::string> varied_;
  std::string text_;
};

}  // namespace

std::string report_csv(const Report& report) {
  Writer writer(report);
  for (const ArmReport& arm : report.arms) {
    if (arm.published) writer.line(arm, "published", "", arm.published->tally);
    for (const Prediction& p : predictions(arm)) writer.line(arm, p.path, "", *p.tally);
    const std::string_view trusted = arm.trusted ? "true" : "false";
    if (arm.measured) {
      writer.line(arm, "measured", trusted, *arm.measured);
    } else {
      writer.line(arm, arm.status, trusted, Tally{});
    }
    for (std::size_t i = 0; i < arm.repeats.size() && arm.repeats.size() > 1; ++i) {
      writer.line(arm, fmt::format("repeat {}", i + 1), "", arm.repeats[i]);
    }
  }
  return writer.take();
}

}  // namespace retrystorm
