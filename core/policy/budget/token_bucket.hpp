// A bucket of tokens: it starts full, each first try (or each success) puts a part of a token in,
// and a retry takes one out, if there is a whole one and more than `keep` are left. (M. Brooker,
// "Fixing retries with token buckets and circuit breakers", 2022, keeps one; gRPC's throttling
// keeps half.)
#pragma once

#include "core/engine.hpp"
#include "core/outcome.hpp"
#include "core/reason.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace retrystorm {

template <typename T>
struct FieldOf;

enum class DepositOn : std::uint8_t { request, success };

struct TokenBucket {
  static constexpr std::string_view name = "token-bucket";
  static constexpr std::string_view help =
      "a retry takes a token, a request or success brings a part";
  static constexpr EngineSet engines = sampling_engines;
  static constexpr bool draws = false;

  double tokens = 10;
  double deposit = 0.1;
  DepositOn deposit_on = DepositOn::request;
  double keep = 0;

  // In millionths of a token, so that tenths add up to one.
  struct State {
    std::int64_t held = 0;
  };
  static std::int64_t millionths(double of) { return std::llround(of * 1e6); }

  State start() const { return {millionths(tokens)}; }
  void sent(State& s, Instant, bool retry) const {
    if (!retry && deposit_on == DepositOn::request) put(s);
  }
  void ended(State& s, Instant, AttemptOutcome outcome, bool, std::uint32_t) const {
    if (outcome == AttemptOutcome::succeeded && deposit_on == DepositOn::success) put(s);
  }
  Reason may_retry(State& s, Instant, AttemptOutcome, std::uint32_t&) const {
    if (s.held < one || s.held <= millionths(keep)) return Reason::budget_exhausted;
    s.held -= one;
    return Reason::none;
  }

  template <typename S = FieldOf<TokenBucket>>
  static std::vector<S> settings() {
    using Self = TokenBucket;
    return {
        {"budget_tokens", typename S::Number{&Self::tokens, 0, 1e9}, engines,
         "the most that the bucket holds; it starts full (token bucket)"},
        {"budget_deposit", typename S::Number{&Self::deposit, 0, 1e6}, engines,
         "tokens that each deposit puts in (token bucket)"},
        {"budget_deposit_on",
         typename S::template OneOf<DepositOn>{&Self::deposit_on, {"request", "success"}}, engines,
         "what makes a deposit: the first try of each request, or each success (token bucket)"},
        {"budget_keep", typename S::Number{&Self::keep, 0, 1e9}, engines,
         "retries are made only while more tokens than this are left (token bucket)"}};
  }

 private:
  static constexpr std::int64_t one = 1'000'000;
  void put(State& s) const { s.held = std::min(s.held + millionths(deposit), millionths(tokens)); }
};

}  // namespace retrystorm
