// What single requests went through, shown: as a timeline for the terminal, as SVG, and as trace
// events that standard viewers open.
#pragma once

#include "experiments/evidence/trace.hpp"

#include <string>
#include <vector>

namespace retrystorm {

// "0.125 ms", "12.3 ms".
std::string ms_text(std::int64_t ns);

std::string trace_text(const TracedRequest& request, const TryKey& key, bool colour);
std::string trace_svg(const TracedRequest& request, const TryKey& key);

// The Trace Event Format (JSON object form), which Perfetto, chrome://tracing and speedscope open:
// for each try a process for the clients (a track for each request in flight) and one for the
// service (a track for each worker and each waiting place), and the queue as a counter.
std::string trace_events(const std::vector<TracedTry>& tries);

}  // namespace retrystorm
