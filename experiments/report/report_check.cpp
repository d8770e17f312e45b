#include "experiments/report/report_check.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/tally_figures.hpp"

#include <string>
#include <vector>

#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

class Check {
 public:
  explicit Check(std::string_view where) : where_(where) {}

  void arm(const ArmReport& arm) const {
    const std::string place = fmt::format("arm '{}'", printable(arm.name));
    if (arm.trusted && !arm.reasons.empty()) refuse(place, "is trusted, and has reasons why not");
    if (arm.measured) tally(*arm.measured, place + ", measured");
    for (const Tally& t : arm.repeats) tally(t, place + ", repeats");
    bool of_a_try = !arm.measured_try;
    for (const Try& t : arm.tries) {
      const std::string which = fmt::format("{}, try {}", place, t.key.try_number);
      if (t.trusted && !t.reasons.empty()) refuse(which, "is trusted, and has reasons why not");
      tally(t.tally, which);
      if (!arm.measured_try || t.key.try_number != arm.measured_try->try_number) continue;
      of_a_try = true;
      if (arm.trusted && !t.trusted) refuse(place, "is trusted, and the try that it shows is not");
      if (arm.measured) same_figures(*arm.measured, t.tally, which);
    }
    if (!of_a_try) refuse(place, "shows a try that is not there");
  }

 private:
  [[noreturn]] void refuse(const std::string& place, const std::string& what) const {
    throw InvalidInput(where_, place, what + ": it is damaged or was altered");
  }

  void tally(const Tally& t, const std::string& place) const {
    if (const auto broken = broken_identities(t.counts); !broken.empty()) {
      refuse(place, "broken identity: " + broken.front());
    }
    for (const TallyFigure& figure : tally_figures) {
      const Count& value = figure.in(t);
      if (value && *value < 0) {
        refuse(place, fmt::format("{} is {}, below 0", figure.path(), *value));
      }
    }
    for (const Tally& part : t.classes) tally(part, place + ", classes");
  }

  void same_figures(const Tally& shown, const Tally& tried, const std::string& which) const {
    for (const TallyFigure& figure : tally_figures) {
      if (figure.in(shown) == figure.in(tried)) continue;
      refuse(which, fmt::format("{} is another than the arm shows", figure.path()));
    }
  }

  std::string_view where_;
};

}  // namespace

Report checked_report(std::string_view text, std::string_view where) {
  Report report = report_from_json(parse_json(text, where), where);
  const Check check(where);
  for (const ArmReport& arm : report.arms) check.arm(arm);
  return report;
}

}  // namespace retrystorm
