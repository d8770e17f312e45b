#include "core/field_list.hpp"

#include "core/units.hpp"

namespace retrystorm {
namespace {

constexpr std::array retryable = {AttemptOutcome::rejected, AttemptOutcome::timed_out,
                                  AttemptOutcome::failed_status, AttemptOutcome::connect_error,
                                  AttemptOutcome::io_error};

}  // namespace

std::string words_text(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string bound_text(Duration bound) {
  constexpr Duration hour = std::chrono::hours(1);
  const bool whole_hours = bound >= hour && bound % hour == Duration::zero();
  return whole_hours ? fmt::format("{}h", bound / hour) : format_duration(bound);
}

std::vector<std::string> retryable_words() {
  std::vector<std::string> words;
  for (const AttemptOutcome o : retryable) words.emplace_back(name(o));
  return words;
}

std::vector<std::string> words_of(OutcomeSet set) {
  std::vector<std::string> words;
  for (const AttemptOutcome o : retryable) {
    if (set.contains(o)) words.emplace_back(name(o));
  }
  return words;
}

std::string read_outcomes(OutcomeSet& set, const FieldValue& value) {
  const auto range = [] { return fmt::format("{}", fmt::join(retryable_words(), ", ")); };
  const auto* list = std::get_if<std::vector<std::string>>(&value);
  if (!list) return fmt::format("must be a list of outcomes: {}", range());
  OutcomeSet read;
  for (const std::string& word : *list) {
    const auto found = std::find_if(retryable.begin(), retryable.end(),
                                    [&](AttemptOutcome o) { return name(o) == word; });
    if (found == retryable.end()) {
      return fmt::format("no such outcome '{}'; use {}", word, range());
    }
    read.insert(*found);
  }
  set = read;
  return {};
}

std::optional<double> number_in(const FieldValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

std::optional<double> rate_in(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return parse_rate(*text);
  return number_in(value);
}

std::optional<Duration> duration_in(const FieldValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? parse_duration(*text) : std::nullopt;
}

FieldValue rate_value(double rate) {
  if (rate == static_cast<double>(static_cast<std::int64_t>(rate))) {
    return FieldValue(static_cast<std::int64_t>(rate));
  }
  return FieldValue(rate);
}

}  // namespace retrystorm
