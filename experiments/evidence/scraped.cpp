#include "experiments/evidence/scraped.hpp"

#include "core/figures.hpp"
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "loadgen/metrics.hpp"
#include "service/service_metrics.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

std::vector<ScrapedCount> known_counts() {
  std::vector<ScrapedCount> known;
  for (const MetricWitness& witness : loadgen::load_witnesses())
    known.push_back({"client", witness});
  for (const MetricWitness& witness : service_witnesses()) known.push_back({"service", witness});
  return known;
}

}  // namespace

const std::vector<ScrapedCount>& scraped_counts() {
  static const std::vector<ScrapedCount> known = known_counts();
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
    const auto is = [&](const ScrapedCount& known) { return known.metric.count == name; };
    if (std::none_of(scraped_counts().begin(), scraped_counts().end(), is) || !ledger) return;
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
