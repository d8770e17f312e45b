// One request as an SVG picture: light and dark by the reader's preference, nothing fetched.
#include "core/reason.hpp"
#include "experiments/report/formats/html_text.hpp"
#include "experiments/report/trace/trace_pictures.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr double left = 90;
constexpr double width = 620;
constexpr double row_height = 46;
constexpr double top = 66;

constexpr const char* style = R"~(<style>
  svg { background: #fff; font: 12px system-ui, sans-serif; }
  text { fill: #1b2127; } .soft { fill: #56616c; } .rule { stroke: #e6eaee; }
  .client { fill: #0b62a8; } .wait { fill: #a9b4bf; } .taken { fill: #0b62a8; }
  .vain { fill: url(#vain); stroke: #d35400; } .refused { fill: #49545f; }
  .hatch { stroke: #d35400; stroke-width: 1.6; }
  @media (prefers-color-scheme: dark) {
    svg { background: #14181d; } text { fill: #e8ecf0; } .soft { fill: #a3aeb9; }
    .rule { stroke: #333c46; } .client, .taken { fill: #6bb6f5; } .wait { fill: #6d7884; }
    .vain { stroke: #f08a52; } .hatch { stroke: #f08a52; } .refused { fill: #c3ccd5; }
  }
</style>
<defs><pattern id="vain" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0V5"/></pattern></defs>
)~";

// A round step that divides the length into four to eight.
double step_of(double length_ms) {
  const double unit = std::pow(10, std::floor(std::log10(std::max(length_ms, 1e-3) / 4)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (length_ms / (step * unit) <= 8) return step * unit;
  }
  return 10 * unit;
}

class Scale {
 public:
  Scale(std::int64_t from, std::int64_t to)
      : from_(from), length_(static_cast<double>(std::max<std::int64_t>(1, to - from))) {}
  double x(std::int64_t at) const {
    return left + width * static_cast<double>(at - from_) / length_;
  }

 private:
  std::int64_t from_;
  double length_;
};

std::string bar(const Scale& scale, std::int64_t from, std::int64_t to, double y, double height,
                std::string_view cls, const std::string& title) {
  const double x = scale.x(from);
  return fmt::format(
      "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\"><title>{}"
      "</title></rect>\n",
      cls, x, y, std::max(1.5, scale.x(to) - x), height, html_escaped(title));
}

std::string service_bars(const TracedAttempt& attempt, const Scale& scale, std::int64_t end,
                         double y) {
  if (!attempt.arrival) return {};
  const TracedArrival& a = *attempt.arrival;
  if (!a.picked) {
    return bar(scale, a.arrived, a.replied.value_or(a.arrived), y, 12, "refused",
               a.disposition + " (" + a.reason + ")");
  }
  const std::int64_t finished = a.finished.value_or(end);
  const bool vain = was_abandoned(attempt);
  return bar(scale, a.arrived, *a.picked, y + 4, 4, "wait",
             "waited " + ms_text(*a.picked - a.arrived)) +
         bar(scale, *a.picked, finished, y, 12, vain ? "vain" : "taken",
             fmt::format("worked {}{}", ms_text(finished - *a.picked), vain ? ", abandoned" : ""));
}

}  // namespace

std::string trace_svg(const TracedRequest& request, const TryKey& key) {
  const std::int64_t end = request.last();
  const Scale scale(request.scheduled, end);
  const double height =
      top + row_height * static_cast<double>(std::max<std::size_t>(1, request.attempts.size())) +
      30;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 {0:.0f}\" width=\"900\" "
      "height=\"{0:.0f}\" role=\"img\">\n<title>request {1} of {2}</title>\n{3}",
      height, request.request, html_escaped(key.arm), style);
  std::string ending = request.outcome;
  if (request.finished) ending += " after " + ms_text(*request.finished - request.scheduled);
  if (!request.reason.empty() && request.reason != name(Reason::none)) {
    ending += " (" + request.reason + ")";
  }
  svg += fmt::format(
      "<text x=\"12\" y=\"24\" font-weight=\"600\" font-size=\"14\">request {} of {}: {}</text>\n",
      request.request, html_escaped(key.arm), html_escaped(ending));
  const double length_ms = static_cast<double>(end - request.scheduled) * 1e-6;
  const double step = step_of(length_ms);
  for (double at = 0; at <= length_ms * 1.0001; at += step) {
    const double x = left + width * at / std::max(length_ms, 1e-6);
    svg += fmt::format(
        "<path class=\"rule\" d=\"M{0:.1f} {1}V{2:.0f}\"/><text class=\"soft\" x=\"{0:.1f}\" "
        "y=\"{3}\" text-anchor=\"middle\">{4:g} ms</text>\n",
        x, top - 12, height - 24, top - 18, at);
  }
  double y = top;
  for (const TracedAttempt& attempt : request.attempts) {
    const std::int64_t ended = attempt.ended.value_or(end);
    svg += fmt::format("<text x=\"12\" y=\"{:.0f}\">attempt {}</text>\n", y + 9, attempt.attempt);
    svg += fmt::format("<text class=\"soft\" x=\"12\" y=\"{:.0f}\">service</text>\n", y + 27);
    svg += bar(scale, attempt.sent, ended, y + 3, 5, "client",
               fmt::format("attempt {}: {}", attempt.attempt, attempt.outcome));
    svg += service_bars(attempt, scale, end, y + 16);
    svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">{}{}</text>\n", left + width + 14, y + 9,
                       html_escaped(attempt.outcome),
                       attempt.ended ? ", " + ms_text(ended - attempt.sent) : "");
    const std::string disposition =
        attempt.arrival
            ? was_abandoned(attempt) ? "completed, abandoned" : attempt.arrival->disposition
            : "never seen";
    svg += fmt::format("<text class=\"soft\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n",
                       left + width + 14, y + 27, html_escaped(disposition));
    y += row_height;
  }
  svg += fmt::format(
      "<text class=\"soft\" x=\"12\" y=\"{:.0f}\">thin blue: in flight; grey: waiting; block: "
      "work, "
      "hatched if the client had left; dark: refused</text>\n</svg>\n",
      height - 8);
  return svg;
}

}  // namespace retrystorm
