#include "experiments/run/prometheus/witness.hpp"

#include "core/classes.hpp"
#include "core/units.hpp"
#include "experiments/evidence/quantiles.hpp"
#include "loadgen/metrics.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace retrystorm {
namespace {

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
    for (const auto& [of_job, known] : scraped_counts()) {
      const bool meant = known.metric == metric && of_job == job &&
                         (known.label.empty() || label(series, known.label) == known.value);
      if (!meant) continue;
      scraped.counts[std::string(known.count)] += *value;
      const auto of_class = parse_integer(label(series, loadgen::class_label));
      if (!of_class || *of_class < 0 || static_cast<std::size_t>(*of_class) >= most_classes) {
        continue;
      }
      const auto c = static_cast<std::size_t>(*of_class);
      if (scraped.classes.size() <= c) scraped.classes.resize(c + 1);
      scraped.classes[c][std::string(known.count)] += *value;
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

}  // namespace retrystorm
