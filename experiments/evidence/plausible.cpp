#include "experiments/evidence/plausible.hpp"

#include <algorithm>
#include <chrono>

namespace retrystorm {
namespace {

using namespace std::chrono_literals;

// Beyond what the scenario itself allows: starting, stopping, a machine that is busy.
constexpr Duration slack = 2min;

bool within(std::int64_t instant, const RunBounds& run) {
  return instant >= run.from && instant <= run.to;
}

}  // namespace

RunBounds bounds_of(const Scenario& s, std::int64_t origin) {
  const auto rounds = queue_places(s) / s.service.workers + 2;
  const Duration each = longest_mean_work(s);
  const Duration work = each > Duration(1h) / rounds ? 1h : each * rounds;
  // Generator and service drain one after the other.
  const Duration span = s.client.duration + s.client.timeout + 2 * s.drain_limit + work + slack;
  return {origin, origin + s.client.duration.count(), origin - span.count(), origin + span.count()};
}

std::string_view implausible(const AttemptRecord& r, const RunBounds& run) {
  if (r.sent < run.origin || !within(r.sent, run)) return "sent outside the run";
  if (r.outcome == AttemptOutcome::unfinished) return {};
  if (r.ended < r.sent) return "ended before it was sent";
  return within(r.ended, run) ? "" : "ended outside the run";
}

std::string_view implausible(const RequestRecord& r, const RunBounds& run) {
  if (r.scheduled < run.origin || r.scheduled > run.last_offer) return "scheduled outside the run";
  if (r.outcome == RequestOutcome::unfinished) return {};
  if (r.finished < r.scheduled) return "finished before it was scheduled";
  return within(r.finished, run) ? "" : "finished outside the run";
}

std::string_view implausible(const ArrivalRecord& r, const RunBounds& run) {
  if (!within(r.arrived, run)) return "arrived outside the run";
  std::int64_t last = r.arrived;
  if (r.picked != 0) {
    if (r.picked < r.arrived) return "picked before it arrived";
    if (r.started < r.arrived || r.started > r.picked) {
      return "started before it arrived or after it was picked";
    }
    if (r.due < r.started) return "due before it was started";
    last = r.picked;
    if (r.disposition == Disposition::completed) {
      if (r.finished < r.picked) return "finished before it was picked";
      last = r.finished;
    }
  }
  if (r.replied != 0) {
    if (r.replied < last) return "replied to before it was ready";
    last = r.replied;
  }
  return within(last, run) ? "" : "ended outside the run";
}

}  // namespace retrystorm
