// The words of docs/semantics.md that a report uses, for readers who have only the report.
#include "experiments/report/words/words.hpp"

namespace retrystorm {
namespace {

// Longer words before those they contain: a text is searched in this order.
constexpr Term terms[] = {
    {"request", "request",
     "What a user wanted. It is offered at its scheduled instant, whatever happened before, and it "
     "succeeds if one of its attempts does."},
    {"attempt", "attempt",
     "One HTTP exchange made for a request. The first is number 0; the others are retries."},
    {"goodput", "goodput", "Succeeded requests per second: what reached a client in time."},
    {"throughput", "throughput",
     "Completions per second at the service, whoever they were for: what its own metrics show."},
    {"abandoned-share", "abandoned share", "Abandoned completions as a share of all completions."},
    {"abandoned", "abandoned",
     "Completed by the service for an attempt that had already timed out: the client had left "
     "before the reply reached it. Counted by joining both sides' ledgers."},
    {"amplification", "amplification",
     "Attempts divided by requests offered: how many times each request was asked."},
    {"useful-queue", "useful queue",
     "The waiting places whose occupants can still be answered in time: (timeout - round trip - "
     "work) x workers / work, rounded down. Whoever joins behind them is served in vain. Poisson "
     "arrivals or varied work make that edge a slope, and workers that finish in a bunch spread it "
     "over one round of them."},
    {"ceiling", "ceiling", "The most the service can complete: workers / work time."},
    {"timeout", "timeout",
     "How long a client waits for one attempt, from its send. Then it closes the connection and "
     "forgets it; the service is not told."},
    {"rejected", "rejected",
     "An attempt answered at once with 503 (or 429) because the queue was full, admission said no, "
     "or it was to fail on purpose. The service's word for it is refused; it counts arrivals, the "
     "client counts replies."},
    {"unsent", "unsent",
     "Requests that no attempt was made for. Those that the client was set to keep back are part "
     "of "
     "the load; those that its generator was short of something for make an arm untrusted."},
    {"settled", "settled",
     "Without the opening: from where goodput, open requests and queue no longer change (a third "
     "of the sending time at the earliest) to the end of sending, if a simulation of the same "
     "world goes on so. The whole run is everything, the drain included. A collapsed run has "
     "successes while its queue still fills, and few after: so both figures are shown."},
    {"published", "published",
     "What someone else stated of this very set-up; what was not stated is left out, not zero."},
    {"nominal", "nominal", "Predicted from the scenario as written, with exact instants."},
    {"calibrated", "calibrated",
     "Predicted with the measured work time, round trip and send times in place of the nominal "
     "ones, and with noise of the measured size."},
    {"replay", "replay",
     "Predicted with the measured first sends and work times fed in one by one: what is left is "
     "structural error."},
    {"structural-error", "structural error",
     "The part of the prediction error that remains in the replay: the model's own. The rest is "
     "parameter error: the model was fed other numbers than the run had."},
    {"trusted", "trusted",
     "A measured arm that vouches for itself: sends on schedule and none kept back by a shortage, "
     "work as long as drawn and never late, arrivals as asked for, nothing unexplained between the "
     "two ledgers, no process short of CPU."},
    {"send-lag", "send lag",
     "How much later than scheduled a first attempt was sent. A generator that falls behind "
     "measures itself."},
    {"effective-work", "effective work",
     "How long a worker really was occupied by a request, on the mean, beside the work time that "
     "was drawn for it."},
    {"ledger", "ledger",
     "One record for each attempt at the client and each arrival at the service, joined by an id "
     "that travels in a header."},
};

}  // namespace

std::span<const Term> glossary() {
  return terms;
}

}  // namespace retrystorm
