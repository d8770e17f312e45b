#include "experiments/report/words/words.hpp"

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "experiments/report/tables.hpp"
#include "experiments/report/words/arms.hpp"
#include "experiments/report/words/paragraphs.hpp"
#include "model/engines.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// What the arms of one course show, in one sentence.
std::string claim(Course course, const std::vector<const ArmReport*>& arms) {
  if (course == Course::fine) {
    const Answered answered = answered_of(arms);
    if (answered.all()) return "Everything that was offered was answered in time.";
    return fmt::format("Of {} requests {} were answered in time.", grouped(answered.offered),
                       grouped(answered.succeeded));
  }
  const bool in_vain = std::any_of(arms.begin(), arms.end(), [](const ArmReport* arm) {
    return telling(*arm->measured).abandoned_share.value_or(0) > 0;
  });
  if (course == Course::strained && !in_vain) {
    return "Not all that was offered was answered in time.";
  }
  const bool beyond = std::any_of(arms.begin(), arms.end(), [](const ArmReport* arm) {
    return last_rate(arm->scenario) > ceiling(arm->scenario);
  });
  const bool before = std::any_of(arms.begin(), arms.end(), [](const ArmReport* arm) {
    return peak_rate(arm->scenario) > ceiling(arm->scenario);
  });
  const bool closed = std::any_of(arms.begin(), arms.end(), [](const ArmReport* arm) {
    return arm->scenario.client.users.has_value();
  });
  const std::string_view what =
      course == Course::collapsed  ? "kept working at full speed, for clients that had left."
      : course == Course::strained ? "did part of its work for clients that had left."
                                   : "refused the surplus and kept its goodput.";
  return fmt::format("{} the service {}",
                     beyond   ? "Past its limit"
                     : closed ? "With users who wait for it"
                     : before ? "When the overload had passed"
                              : "Below its limit already",
                     what);
}

}  // namespace

Words words_of(const Report& report) {
  Words words;
  words.headline = "Nothing was measured.";
  // The gravest course first.
  for (const Course course : {Course::collapsed, Course::strained, Course::shed, Course::fine}) {
    const auto arms = arms_with(report, course);
    if (arms.empty()) continue;
    const bool vouched =
        std::any_of(arms.begin(), arms.end(), [](const ArmReport* arm) { return arm->trusted; });
    const std::string text = claim(course, arms);
    words.headline = vouched ? text : "Not to be trusted: " + text;
    break;
  }
  // What follows speaks of one timeout and one number of retries; what a change buys is the
  // difference of two settled figures.
  const bool one_class =
      std::all_of(report.arms.begin(), report.arms.end(),
                  [](const ArmReport& arm) { return arm.scenario.classes.empty(); });
  const ArmReport* arm = subject_of(report);
  if (one_class && arm && best_prediction(*arm) && arm->measured->settling.reason.empty()) {
    try {
      words.advice = advise(arm->scenario, Engine::simulate, {});
      words.advised_arm = arm->name;
    } catch (const InvalidInput&) {
      // Nothing settles, so there is nothing to compare with; or it costs too much.
    }
  }
  const auto add = [&](std::string_view question, std::string text) {
    if (!text.empty()) words.paragraphs.push_back({question, std::move(text)});
  };
  if (one_class) {
    add("What happened", what_happened(report));
    add("Why", why_it_happened(report));
    add("Which knob", which_knob(report, words.advice));
  }
  add("Can the run be trusted?", whether_to_trust(report));
  return words;
}

}  // namespace retrystorm
