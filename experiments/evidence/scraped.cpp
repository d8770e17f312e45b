#include "experiments/evidence/scraped.hpp"

#include "core/figures.hpp"
#include "core/json.hpp"
#include "core/json_reader.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

constexpr std::string_view requests = "retrystorm_requests_total";
constexpr std::string_view attempts = "retrystorm_attempts_total";
constexpr std::string_view arrivals = "retrystorm_arrivals_total";

constexpr ScrapedCount known[] = {
    {"offered", "client", "retrystorm_requests_offered_total", "", ""},
    {"succeeded", "client", requests, "outcome", "succeeded"},
    {"gave_up", "client", requests, "outcome", "gave_up"},
    {"unsent", "client", requests, "outcome", "unsent"},
    {"unfinished.requests", "client", requests, "outcome", "unfinished"},
    {"attempts", "client", attempts, "", ""},
    {"rejected", "client", attempts, "outcome", "rejected"},
    {"timed_out", "client", attempts, "outcome", "timed_out"},
    {"failed_status", "client", attempts, "outcome", "failed_status"},
    {"connect_error", "client", attempts, "outcome", "connect_error"},
    {"io_error", "client", attempts, "outcome", "io_error"},
    {"unfinished.attempts", "client", attempts, "outcome", "unfinished"},
    {"late_read", "client", "retrystorm_late_reads_total", "", ""},
    {"arrived", "service", arrivals, "", ""},
    {"completed", "service", "retrystorm_completed_total", "", ""},
    {"refused", "service", arrivals, "disposition", "refused"},
    {"skipped", "service", arrivals, "disposition", "skipped"},
    {"unfinished.arrivals", "service", arrivals, "disposition", "unfinished"},
    {"abandoned_seen", "service", "retrystorm_abandoned_seen_total", "", ""},
    {"seen_later", "service", "retrystorm_seen_later_total", "", ""},
};

}  // namespace

std::span<const ScrapedCount> scraped_counts() {
  return known;
}

json::value to_json(const Scraped& scraped) {
  json::object counts, scrapes;
  for (const auto& [name, value] : scraped.counts) counts[name] = json_number(value);
  for (const auto& [job, s] : scraped.scrapes) {
    json::object took;
    visit_quantiles(s.took, [&](std::string_view name, Count ms) {
      took[{name.data(), name.size()}] = json_number(ms);
    });
    scrapes[job] = {{"answered", s.answered}, {"missed", s.missed}, {"took_ms", std::move(took)}};
  }
  return {{"at", scraped.at},
          {"counts", std::move(counts)},
          {"scrapes", std::move(scrapes)},
          {"problem", scraped.problem}};
}

Scraped scraped_from_json(const JsonObject& object) {
  Scraped scraped;
  scraped.at = object.number("at").value_or(0);
  scraped.problem = object.text("problem");
  const JsonObject counts = object.object("counts");
  for (const auto& member : counts.members()) {
    if (const auto count = counts.number(member.key())) {
      scraped.counts[std::string(member.key())] = *count;
    }
  }
  const JsonObject jobs = object.object("scrapes");
  for (const auto& member : jobs.members()) {
    const JsonObject job = jobs.object(member.key());
    Scrapes& scrapes = scraped.scrapes[std::string(member.key())];
    scrapes.answered = static_cast<std::uint64_t>(job.whole("answered"));
    scrapes.missed = static_cast<std::uint64_t>(job.whole("missed"));
    const JsonObject took = job.object("took_ms");
    visit_quantiles(scrapes.took,
                    [&](std::string_view name, Count& ms) { ms = took.number(name); });
  }
  return scraped;
}

std::vector<std::string> disagreements(const Scraped& scraped, const Counts& ledgers) {
  if (!scraped.problem.empty()) return {"Prometheus has no final sample: " + scraped.problem};
  std::vector<std::string> texts;
  visit_counts(ledgers, [&](std::string_view name, const Count& ledger) {
    const auto is = [&](const ScrapedCount& known_count) { return known_count.count == name; };
    if (std::none_of(std::begin(known), std::end(known), is) || !ledger) return;
    const auto found = scraped.counts.find(std::string(name));
    if (found == scraped.counts.end()) {
      texts.push_back(fmt::format("Prometheus has no count of {}", name));
    } else if (found->second != *ledger) {
      texts.push_back(
          fmt::format("Prometheus counted {} {}, the ledgers {}", found->second, name, *ledger));
    }
  });
  return texts;
}

}  // namespace retrystorm
