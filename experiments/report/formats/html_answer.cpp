#include "experiments/report/formats/html_answer.hpp"

#include "core/number_text.hpp"
#include "experiments/report/formats/html_text.hpp"
#include "experiments/report/words/answer.hpp"
#include "experiments/report/words/arms.hpp"
#include "experiments/report/words/phrases.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {
namespace {

std::string item(std::string_view cls, std::string_view name, std::string_view figure,
                 std::string_view data, std::string_view note) {
  return fmt::format("<li class=\"{}\"><span>{}</span> <b{}>{}</b> <small>{}</small></li>\n", cls,
                     name, data, html_escaped(figure), html_with_terms(note));
}

// A load: what was measured, and what the simulation says of it; else what `none` says.
std::string load_item(std::string_view cls, std::string_view name, const AnsweredLoad& load,
                      std::string_view none) {
  if (load.measured_per_s) {
    const std::string note =
        load.predicted_per_s
            ? fmt::format("measured; simulated {}", rate_words(std::round(*load.predicted_per_s)))
            : "measured";
    return item(
        cls, name, rate_words(*load.measured_per_s),
        html_data(fmt::format("arms.{}.scenario.client.rate", load.arm), *load.measured_per_s),
        note);
  }
  if (load.predicted_per_s) {
    return item(cls, name, rate_words(std::round(*load.predicted_per_s)), "",
                fmt::format("simulated; {}", none));
  }
  return item("c-muted", name, no_number, "", none);
}

std::string knob_item(const Answer& answer, const Words& words) {
  if (!words.advice) {
    return item("c-muted", "Best knob", no_number, "", "no change was simulated");
  }
  if (!answer.knob) {
    return item("c-muted", "Best knob", "none", "", "no single change that was tried helps");
  }
  const Change& change = *answer.knob;
  const std::string buys =
      helps(change, *words.advice)
          ? fmt::format("{} more goodput at {}", rate_words(std::round(change.gain_per_s)),
                        rate_words(words.advice->offered_per_s))
          : std::string("removes the state that a burst leaves behind");
  return item("c-measured knob", "Best knob", fmt::format("{} = {}", change.field, change.to), "",
              fmt::format("instead of {}; {}, simulated", change.from, buys));
}

}  // namespace

std::string answer_html(const Report& report, const Pictures& pictures, const Words& words) {
  const ArmReport* told = subject_of(report);
  if (!told) told = plainest(arms_with(report, Course::fine));
  if (!told) return {};
  const auto index = static_cast<std::size_t>(told - report.arms.data());
  const auto cliff =
      std::find_if(pictures.cliffs.begin(), pictures.cliffs.end(), [&](const Cliff& c) {
        return std::find(c.arms.begin(), c.arms.end(), index) != c.arms.end();
      });
  const std::span<const CliffPoint> predicted =
      cliff == pictures.cliffs.end() ? std::span<const CliffPoint>() : cliff->predicted;
  const Answer answer = answer_of(report, *told, predicted, words);
  std::string html =
      "<ul class=\"answer\" aria-label=\"The answer\">\n" +
      load_item("c-good", "Safe up to", answer.safe_up_to, "no trusted arm is safe") +
      load_item("c-bad", "Falls at", answer.falls_at, "no trusted arm fell");
  if (subject_of(report)) html += knob_item(answer, words);
  html += "</ul>\n";
  if (same_but_load(report, *told).size() < report.arms.size() && cliff != pictures.cliffs.end()) {
    return html + fmt::format(
                      "<p class=\"note\">Of {}, by load; safe: at least 99 % of what is "
                      "offered is answered in time, here and at every load below.</p>\n",
                      html_escaped(cliff->label));
  }
  return html +
         "<p class=\"note\">Safe: at least 99 % of what is offered is answered in time, here and "
         "at every load below.</p>\n";
}

}  // namespace retrystorm
