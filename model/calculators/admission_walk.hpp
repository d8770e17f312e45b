// A walk through a list of requests with the admission policy: who is let in, who is not and why,
// and what it leaves in the bucket. Milliseconds outside, the policy's nanoseconds inside. The
// specification is docs/calculators.md.
#pragma once

#include "core/policy/admission.hpp"

#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

struct AdmissionRequest {
  std::string id;
  std::int64_t at_ms = 0;
  std::int64_t cost = 1;  // tokens
  std::int64_t duration_ms = 1;
};

struct AdmissionInput {
  AdmissionLimits limits;
  std::vector<AdmissionRequest> requests;  // times do not decrease, ids are unique
};

// Reads and checks the input; throws InvalidInput naming `where` and the field.
AdmissionInput admission_input(const boost::json::value& document, std::string_view where);

struct AdmissionCompletion {
  Wide at_ms = 0;  // the end of a request can be beyond 64 bits
  std::string_view id;
  friend auto operator<=>(const AdmissionCompletion&, const AdmissionCompletion&) = default;
};

// What the walk shows of one request. The views are valid during the call that shows it.
struct AdmissionStep {
  const AdmissionRequest* request;
  Reason refusal;                                        // none: accepted
  Wide credits;                                          // left, in thousandths of a token
  const std::set<std::string_view>& active;              // after the decision
  const std::vector<AdmissionCompletion>& finished_now;  // since the request before
};

struct AdmissionEnd {
  std::vector<AdmissionCompletion> completions;  // by time, then id; all of them
  std::vector<std::string_view> pending;         // active at the last arrival, sorted
  Wide credits = 0;                              // at the last arrival, in thousandths of a token
};

// Walks through the requests and shows each step to `show` at once: a trace that lists what runs
// grows with the square of the requests and need not be kept. The views in the result live as long
// as `input`.
template <typename Show>
AdmissionEnd walk_admission(const AdmissionInput& input, Show&& show) {
  constexpr std::int64_t ns_per_ms = 1'000'000;
  constexpr Wide credits_scale = AdmissionPolicy::credits_per_token / 1000;
  AdmissionPolicy policy(input.limits);
  AdmissionEnd end;
  std::priority_queue<AdmissionCompletion, std::vector<AdmissionCompletion>, std::greater<>> ends;
  std::set<std::string_view> active;
  std::vector<AdmissionCompletion> finished_now;
  const auto finish_first = [&] {
    finished_now.push_back(ends.top());
    active.erase(ends.top().id);
    ends.pop();
    policy.finished();
  };
  const auto credits = [&] { return policy.credits() / credits_scale; };
  for (const AdmissionRequest& request : input.requests) {
    finished_now.clear();
    while (!ends.empty() && ends.top().at_ms <= request.at_ms) finish_first();
    const Reason refusal = policy.arrive(Wide{request.at_ms} * ns_per_ms, request.cost);
    if (refusal == Reason::none) {
      active.insert(request.id);
      ends.push({Wide{request.at_ms} + request.duration_ms, request.id});
    }
    show(AdmissionStep{&request, refusal, credits(), active, finished_now});
    end.completions.insert(end.completions.end(), finished_now.begin(), finished_now.end());
  }
  end.pending.assign(active.begin(), active.end());
  end.credits = credits();
  finished_now.clear();
  while (!ends.empty()) finish_first();
  end.completions.insert(end.completions.end(), finished_now.begin(), finished_now.end());
  return end;
}

// The whole answer as JSON text, given to `write` piece by piece.
void write_admission(const AdmissionInput& input,
                     const std::function<void(std::string_view)>& write);

}  // namespace retrystorm
