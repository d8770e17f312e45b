#include "experiments/scraped.hpp"

#include "core/json.hpp"
#include "experiments/json_whole.hpp"
#include "experiments/tally_from_ledger.hpp"

#include <algorithm>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

constexpr std::string_view requests = "retrystorm_requests_total";
constexpr std::string_view attempts = "retrystorm_attempts_total";
constexpr std::string_view arrivals = "retrystorm_arrivals_total";

// Where Prometheus' metrics are counts of a Tally, by the names that visit_counts() gives them.
struct KnownCount {
  std::string_view count;
  std::string_view job;
  std::string_view metric;
  std::string_view label, value;  // only samples with this label; all if empty
};
constexpr KnownCount known[] = {
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

// What a service that has nothing left to do shows as 0.
constexpr std::string_view busy[] = {"retrystorm_queue_length", "retrystorm_workers_busy",
                                     "retrystorm_connections"};

std::string_view label(const PrometheusSeries& series, std::string_view name) {
  const auto found = series.labels.find(name);
  return found == series.labels.end() ? std::string_view() : std::string_view(found->second);
}

// The series' value in the scrape at `time`; all series of a scrape carry its time.
std::optional<double> value_at(const PrometheusSeries& series, double time) {
  for (const auto& sample : series.samples) {
    if (sample.time == time) return sample.value;
  }
  return std::nullopt;
}

// The last successful scrape of a job after `after`.
std::optional<double> last_scrape(const std::vector<PrometheusSeries>& all, std::string_view job,
                                  double after) {
  std::optional<double> last;
  for (const PrometheusSeries& series : all) {
    if (label(series, "__name__") != "up" || label(series, "job") != job) continue;
    for (const auto& sample : series.samples) {
      if (sample.value == 1 && sample.time > after) last = sample.time;
    }
  }
  return last;
}

}  // namespace

bool scraped_since(const PrometheusApi& prometheus, std::string_view job, double after) {
  const auto all = prometheus.query(fmt::format("up{{job=\"{}\"}}[2s]", job));
  return last_scrape(all, job, after).has_value();
}

std::optional<Scraped> last_sample(const PrometheusApi& prometheus, double after) {
  const auto all = prometheus.query("{__name__=~\"up|retrystorm_.+\",le=\"\"}[2s]");
  const auto client = last_scrape(all, "client", after);
  const auto service = last_scrape(all, "service", after);
  if (!client || !service) return std::nullopt;
  Scraped scraped;
  scraped.at = std::max(*client, *service);
  for (const PrometheusSeries& series : all) {
    const std::string_view metric = label(series, "__name__");
    const std::string_view job = label(series, "job");
    const auto value = value_at(series, job == "client" ? *client : *service);
    if (!value) continue;
    if (std::find(std::begin(busy), std::end(busy), metric) != std::end(busy) && *value > 0) {
      return std::nullopt;
    }
    for (const KnownCount& count : known) {
      const bool meant = count.metric == metric && count.job == job &&
                         (count.label.empty() || label(series, count.label) == count.value);
      if (meant) scraped.counts[std::string(count.count)] += *value;
    }
  }
  return scraped;
}

std::map<std::string, Scrapes> scrapes_between(const PrometheusApi& prometheus, double from,
                                               double to) {
  const auto window = static_cast<std::int64_t>(std::ceil((to - from) * 1000));
  const auto all =
      prometheus.query(fmt::format("{{__name__=~\"up|scrape_duration_seconds\"}}[{}ms]",
                                   std::max(window, std::int64_t{1})),
                       to);
  std::map<std::string, Scrapes> found;
  for (const PrometheusSeries& up : all) {
    if (label(up, "__name__") != "up") continue;
    std::vector<std::int64_t> took;
    Scrapes& scrapes = found[std::string(label(up, "job"))];
    for (const PrometheusSeries& duration : all) {
      if (label(duration, "__name__") == "up" || label(duration, "job") != label(up, "job"))
        continue;
      for (const auto& sample : up.samples) {
        const auto seconds = value_at(duration, sample.time);
        if (sample.value == 1 && seconds) {
          took.push_back(from_seconds(*seconds).count());
        } else if (!took.empty()) {  // before the first, the process was not there yet
          ++scrapes.missed;
        }
      }
    }
    scrapes.answered = took.size();
    scrapes.took = exact_quantiles(std::move(took));
  }
  return found;
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

Scraped scraped_from_json(const json::object& object, std::string_view where) {
  Scraped scraped;
  scraped.at = number_at(object, "at").value_or(0);
  scraped.problem = text_at(object, "problem", where);
  for (const auto& [name, value] : object_at(object, "counts", where)) {
    if (value.is_number()) scraped.counts[std::string(name)] = value.to_number<double>();
  }
  const json::object& jobs = object_at(object, "scrapes", where);
  for (const auto& [job, unused] : jobs) {
    const json::object& s = object_at(jobs, job, where);
    Scrapes& scrapes = scraped.scrapes[std::string(job)];
    scrapes.answered = static_cast<std::uint64_t>(whole_at(s, "answered"));
    scrapes.missed = static_cast<std::uint64_t>(whole_at(s, "missed"));
    const json::object& took = object_at(s, "took_ms", where);
    visit_quantiles(scrapes.took,
                    [&](std::string_view name, Count& ms) { ms = number_at(took, name); });
  }
  return scraped;
}

std::vector<std::string> disagreements(const Scraped& scraped, const Counts& ledgers) {
  if (!scraped.problem.empty()) return {"Prometheus has no final sample: " + scraped.problem};
  std::vector<std::string> texts;
  visit_counts(ledgers, [&](std::string_view name, const Count& ledger) {
    const auto is = [&](const KnownCount& known_count) { return known_count.count == name; };
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
