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

constexpr std::string_view client_job = "client";

json::object counts_json(const std::map<std::string, double>& counts) {
  json::object object;
  for (const auto& [name, value] : counts) object[name] = json_number(value);
  return object;
}

std::map<std::string, double> counts_from_json(const JsonObject& object) {
  std::map<std::string, double> counts;
  for (const auto& member : object.members()) {
    if (const auto count = object.number(member.key())) counts[std::string(member.key())] = *count;
  }
  return counts;
}

std::vector<ScrapedCount> known_counts() {
  std::vector<ScrapedCount> known;
  for (const MetricWitness& witness : loadgen::load_witnesses())
    known.push_back({client_job, witness});
  for (const MetricWitness& witness : service_witnesses()) known.push_back({"service", witness});
  return known;
}

}  // namespace

const std::vector<ScrapedCount>& scraped_counts() {
  static const std::vector<ScrapedCount> known = known_counts();
  return known;
}

json::value to_json(const Scraped& scraped) {
  json::object scrapes;
  for (const auto& [job, s] : scraped.scrapes) {
    json::object took;
    visit_quantiles(s.took, [&](std::string_view name, Count ms) {
      took[{name.data(), name.size()}] = json_number(ms);
    });
    scrapes[job] = {{"answered", s.answered}, {"missed", s.missed}, {"took_ms", std::move(took)}};
  }
  json::object object{{"at", scraped.at},
                      {"counts", counts_json(scraped.counts)},
                      {"scrapes", std::move(scrapes)},
                      {"problem", scraped.problem}};
  if (!scraped.classes.empty()) {
    json::array classes;
    for (const auto& counts : scraped.classes) classes.push_back(counts_json(counts));
    object["classes"] = std::move(classes);
  }
  return object;
}

Scraped scraped_from_json(const JsonObject& object) {
  Scraped scraped;
  scraped.at = object.number("at").value_or(0);
  scraped.problem = object.text("problem");
  scraped.counts = counts_from_json(object.object("counts"));
  if (object.has("classes")) {
    object.each("classes", [&](const JsonObject& counts) {
      scraped.classes.push_back(counts_from_json(counts));
    });
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

namespace {

// In those counts that the job has; `whose` follows the name of each.
void compare(std::vector<std::string>& texts, const std::map<std::string, double>& scraped,
             const Counts& ledgers, std::string_view job, std::string_view whose) {
  visit_counts(ledgers, [&](std::string_view name, const Count& ledger) {
    const auto is = [&](const ScrapedCount& known) {
      return known.metric.count == name && (job.empty() || known.job == job);
    };
    if (std::none_of(scraped_counts().begin(), scraped_counts().end(), is) || !ledger) return;
    const auto found = scraped.find(std::string(name));
    if (found == scraped.end()) {
      texts.push_back(fmt::format("Prometheus has no count of {}{}", name, whose));
    } else if (found->second != *ledger) {
      texts.push_back(fmt::format("Prometheus counted {} {}{}, the ledgers {}", found->second, name,
                                  whose, *ledger));
    }
  });
}

}  // namespace

std::vector<std::string> disagreements(const Scraped& scraped, const Counts& ledgers) {
  if (!scraped.problem.empty()) return {"Prometheus has no final sample: " + scraped.problem};
  std::vector<std::string> texts;
  compare(texts, scraped.counts, ledgers, "", "");
  return texts;
}

std::vector<std::string> disagreements(const Scraped& scraped, const Tally& ledgers) {
  std::vector<std::string> texts = disagreements(scraped, ledgers.counts);
  if (!scraped.problem.empty()) return texts;
  for (std::size_t c = 0; c < ledgers.classes.size(); ++c) {
    const std::map<std::string, double> none;
    compare(texts, c < scraped.classes.size() ? scraped.classes[c] : none,
            ledgers.classes[c].counts, client_job, fmt::format(" of class {}", c));
  }
  return texts;
}

}  // namespace retrystorm
