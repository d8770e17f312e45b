// One request as a timeline for the terminal: a line for each attempt as its client saw it, and
// below it what the service did with it.
#include "core/error.hpp"
#include "core/reason.hpp"
#include "experiments/report/trace/trace_pictures.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {

std::string ms_text(std::int64_t ns) {
  const double value = static_cast<double>(ns) * 1e-6;
  return fmt::format("{:.{}f} ms", value, value < 1 ? 3 : 1);
}

namespace {

constexpr std::size_t line_columns = 60;

class Timeline {
 public:
  Timeline(std::int64_t from, std::int64_t to)
      : from_(from), length_(std::max<std::int64_t>(1, to - from)) {}

  // Cells of [from, to): at least one, so that a short thing is seen.
  void paint(std::vector<std::string>& cells, std::int64_t from, std::int64_t to,
             const std::string& glyph) const {
    const std::size_t first = column(from);
    const std::size_t last = std::max(first + 1, column(to));
    for (std::size_t i = first; i < std::min(last, line_columns); ++i) cells[i] = glyph;
  }

 private:
  std::size_t column(std::int64_t at) const {
    const double share = static_cast<double>(at - from_) / static_cast<double>(length_);
    return std::min(line_columns - 1,
                    static_cast<std::size_t>(std::max(0.0, share * line_columns)));
  }

  std::int64_t from_;
  std::int64_t length_;
};

std::string joined(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& cell : cells) text += cell;
  return text;
}

std::string client_words(const TracedAttempt& attempt) {
  if (!attempt.ended) return attempt.outcome;
  const std::string status =
      attempt.status > 0 ? fmt::format(" ({})", attempt.status) : std::string();
  return fmt::format("{}{} after {}", attempt.outcome, status,
                     ms_text(*attempt.ended - attempt.sent));
}

std::string service_words(const TracedAttempt& attempt) {
  if (!attempt.arrival) return "the service never saw it";
  const TracedArrival& a = *attempt.arrival;
  std::string text;
  if (a.picked) {
    text += fmt::format("waited {}, ", ms_text(*a.picked - a.arrived));
    if (a.finished) text += fmt::format("worked {}, ", ms_text(*a.finished - *a.picked));
  }
  text += a.disposition;
  if (!a.reason.empty() && a.reason != name(Reason::none)) text += fmt::format(" ({})", a.reason);
  if (was_abandoned(attempt)) text += ", abandoned: the client had left";
  return text;
}

}  // namespace

std::string trace_text(const TracedRequest& request, const TryKey& key, bool colour) {
  const auto paint = [&](std::string_view glyph, int code) {
    return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, glyph) : std::string(glyph);
  };
  const std::int64_t end = request.last();
  const Timeline timeline(request.scheduled, end);
  std::string text = fmt::format("request {} of {} (try {}): offered at {:.6f} s, {}",
                                 request.request, printable(key.arm, 400), key.try_number,
                                 static_cast<double>(request.scheduled) * 1e-9, request.outcome);
  if (request.finished)
    text += fmt::format(" after {}", ms_text(*request.finished - request.scheduled));
  if (!request.reason.empty() && request.reason != name(Reason::none)) {
    text += fmt::format(" ({})", request.reason);
  }
  text += fmt::format("\n\n{:<12}{:<{}}{}\n", "", "0 ms", line_columns,
                      ms_text(end - request.scheduled));
  if (request.attempts.empty()) text += "no attempt was made\n";
  for (const TracedAttempt& attempt : request.attempts) {
    std::vector<std::string> cells(line_columns, " ");
    timeline.paint(cells, attempt.sent, attempt.ended.value_or(end), paint("─", 34));
    text += fmt::format("{:<12}{}  {}\n", fmt::format("attempt {}", attempt.attempt), joined(cells),
                        client_words(attempt));
    cells.assign(line_columns, " ");
    if (const auto& a = attempt.arrival) {
      if (a->picked) {
        timeline.paint(cells, a->arrived, *a->picked, "·");
        timeline.paint(cells, *a->picked, a->finished.value_or(end),
                       was_abandoned(attempt) ? paint("▒", 31) : paint("█", 34));
      } else {
        timeline.paint(cells, a->arrived, a->replied.value_or(a->arrived), "!");
      }
    }
    text += fmt::format("{:<12}{}  {}\n", "  service", joined(cells), service_words(attempt));
  }
  text +=
      "\n─ attempt in flight   · waiting   █ work that was taken   ▒ work for a client that had "
      "left   ! refused\n";
  return text;
}

}  // namespace retrystorm
