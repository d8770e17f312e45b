#include "tests/campaign/books.hpp"

#include "core/figures.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace retrystorm::campaign {
namespace {

class Books {
 public:
  explicit Books(std::string_view of) : of_(of) {}

  // Sums of doubles: whole numbers are exact, fractions round.
  void equal(const Count& whole, std::initializer_list<Count> parts, std::string_view what) {
    double sum = 0;
    for (const Count& part : parts) {
      if (!part) return;
      sum += *part;
    }
    if (whole && std::abs(*whole - sum) > 1e-9 * std::max(1.0, std::abs(*whole))) {
      say(fmt::format("{}: {} is not {}", what, *whole, sum));
    }
  }
  void at_most(const Count& less, const Count& more, std::string_view what) {
    if (less && more && *less > *more * (1 + 1e-9) + 1e-9) {
      say(fmt::format("{}: {} is above {}", what, *less, *more));
    }
  }
  void is(bool holds, std::string_view what) {
    if (!holds) say(std::string(what));
  }
  std::vector<std::string> take() { return std::move(wrong_); }

 private:
  void say(const std::string& what) { wrong_.push_back(fmt::format("{}: {}", of_, what)); }

  std::string of_;
  std::vector<std::string> wrong_;
};

void judge_counts(Books& books, const Tally& t) {
  const Counts& c = t.counts;
  books.equal(c.attempts,
              {c.succeeded, c.rejected, c.timed_out, c.failed_status, c.connect_error, c.io_error,
               c.unfinished_attempts},
              "attempts by their outcomes");
  books.equal(c.offered, {c.succeeded, c.gave_up, c.unsent, c.unfinished_requests},
              "requests by their outcomes");
  books.equal(c.arrived, {c.completed, c.refused, c.skipped, c.unfinished_arrivals},
              "arrivals by their dispositions");
  books.equal(c.completed, {c.taken, c.abandoned, c.undelivered, c.cut},
              "completions by who took them");
  books.at_most(c.arrived, c.attempts, "arrivals against attempts");
  books.at_most(c.rejected, c.refused, "rejections seen against refusals");
  books.at_most(c.abandoned_seen, c.abandoned, "abandoned and seen against abandoned");
  visit_counts(c, [&](std::string_view name, const Count& count) {
    if (!count) return;
    books.is(std::isfinite(*count) && *count >= -1e-9, fmt::format("{} is {}", name, *count));
    if (t.engine == "simulate" && t.spread.empty()) {
      books.is(*count == std::floor(*count), fmt::format("{} is no whole number", name));
    }
  });
}

void judge_rates(Books& books, const Rates& r, const Scenario& s, std::string_view which) {
  books.at_most(r.goodput_per_s, r.offered_per_s,
                fmt::format("{} goodput against the load", which));
  books.at_most(r.abandoned_share, 1, fmt::format("{} abandoned share", which));
  books.at_most(r.amplification, static_cast<double>(s.client.retries + 1),
                fmt::format("{} amplification", which));
  for (const Count& one : {r.seconds, r.offered_per_s, r.goodput_per_s, r.throughput_per_s,
                           r.attempts_per_s, r.abandoned_share, r.amplification}) {
    if (one) books.is(std::isfinite(*one) && *one >= 0, fmt::format("{} rate {}", which, *one));
  }
}

void judge_latency(Books& books, const Quantiles& q, std::string_view which) {
  const Count* before = nullptr;
  for (const Count* one : {&q.p50, &q.p90, &q.p99, &q.p999, &q.max}) {
    if (!*one) continue;
    books.is(std::isfinite(**one) && **one >= 0, fmt::format("{} latency of {}", which, **one));
    if (before) books.at_most(*before, *one, fmt::format("{} percentiles in their order", which));
    before = one;
  }
  books.at_most(q.mean, q.max, fmt::format("{} mean against the largest", which));
}

}  // namespace

std::vector<std::string> wrong_in_books(const Tally& t, const Scenario& s) {
  Books books(t.engine);
  judge_counts(books, t);
  judge_rates(books, t.whole, s, "whole");
  judge_latency(books, t.request, "request");
  judge_latency(books, t.attempt, "attempt");
  judge_latency(books, t.all, "all");
  if (t.whole.seconds && t.counts.completed && t.engine == "simulate" &&
      s.service.work_shape == WorkShape::fixed && t.spread.empty()) {
    // Workers end what they began: each completion took its work time of one of them.
    const double most = static_cast<double>(s.service.workers) *
                        std::floor(*t.whole.seconds / seconds(s.service.work) * (1 + 1e-9) + 1e-6);
    books.at_most(t.counts.completed, most, "completions against the ceiling");
  }
  return books.take();
}

}  // namespace retrystorm::campaign
