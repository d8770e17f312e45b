#include "core/tally.hpp"

#include "core/tally_figures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace retrystorm {
namespace {

struct Identity {
  std::string_view name;
  Count whole;
  std::vector<Count> parts;
};

// Empty where one of them does not answer.
Rates mean_of(const std::vector<const Rates*>& list) {
  Rates mean;
  for (const auto& row : rate_figures) {
    Count sum = 0;
    for (const Rates* rates : list) {
      const Count& value = rates->*row.member;
      sum = sum && value ? Count(*sum + *value) : std::nullopt;
    }
    if (sum) mean.*row.member = *sum / static_cast<double>(list.size());
  }
  return mean;
}

}  // namespace

Rates make_rates(double seconds, double offered, double succeeded, double completed,
                 double attempts, Count abandoned) {
  Rates r;
  r.seconds = seconds;
  if (seconds > 0) {
    r.offered_per_s = offered / seconds;
    r.goodput_per_s = succeeded / seconds;
    r.throughput_per_s = completed / seconds;
    r.attempts_per_s = attempts / seconds;
  }
  if (completed > 0 && abandoned) r.abandoned_share = *abandoned / completed;
  if (offered > 0) r.amplification = attempts / offered;
  return r;
}

std::vector<std::string> broken_identities(const Counts& c) {
  const Identity identities[] = {
      {"attempts = succeeded + rejected + timed_out + failed_status + connect_error + io_error + "
       "unfinished",
       c.attempts,
       {c.succeeded, c.rejected, c.timed_out, c.failed_status, c.connect_error, c.io_error,
        c.unfinished_attempts}},
      {"offered = succeeded + gave_up + unsent + unfinished",
       c.offered,
       {c.succeeded, c.gave_up, c.unsent, c.unfinished_requests}},
      {"arrived = completed + refused + skipped + unfinished",
       c.arrived,
       {c.completed, c.refused, c.skipped, c.unfinished_arrivals}},
      {"completed = taken + abandoned + undelivered + cut",
       c.completed,
       {c.taken, c.abandoned, c.undelivered, c.cut}},
  };
  std::vector<std::string> broken;
  for (const Identity& identity : identities) {
    if (!identity.whole) continue;
    double sum = 0;
    bool judged = true;
    for (const Count& part : identity.parts) {
      judged = judged && part.has_value();
      sum += part.value_or(0);
    }
    // Exact for counts; analytic engines give fractions that round.
    if (judged && std::abs(sum - *identity.whole) > 1e-9 * std::max(1.0, std::abs(sum))) {
      broken.push_back(fmt::format("{}: {} is not {}", identity.name,
                                   format_number(*identity.whole), format_number(sum)));
    }
  }
  return broken;
}

std::optional<Spread> spread_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  Spread s;
  s.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double v : values) squares += (v - s.mean) * (v - s.mean);
  s.sd = values.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
  const auto percentile = [&](double p) {  // linear between order statistics
    const double at = p * (n - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
  };
  s.low = percentile(0.025);
  s.high = percentile(0.975);
  return s;
}

Tally mean_of(const std::vector<Tally>& tallies) {
  Tally mean = tallies.front();
  for (const TallyFigure& figure : tally_figures) {
    Count sum = 0;
    for (const Tally& tally : tallies) {
      const Count& value = figure.in(tally);
      sum = sum && value ? Count(*sum + *value) : std::nullopt;
    }
    figure.in(mean) = sum ? Count(*sum / static_cast<double>(tallies.size())) : std::nullopt;
  }
  for (std::size_t i = 0; i < mean.stages.size(); ++i) {
    for (Rates StageRates::*const part : {&StageRates::whole, &StageRates::later}) {
      std::vector<const Rates*> rates;
      for (const Tally& tally : tallies) rates.push_back(&(tally.stages.at(i).*part));
      mean.stages[i].*part = mean_of(rates);
    }
  }
  for (std::size_t c = 0; c < mean.classes.size(); ++c) {
    std::vector<Tally> of_class;
    for (const Tally& tally : tallies) of_class.push_back(tally.classes.at(c));
    mean.classes[c] = mean_of(of_class);
    mean.classes[c].spread = spread_of(of_class);
  }
  return mean;
}

std::map<std::string, Spread> spread_of(const std::vector<Tally>& tallies) {
  std::map<std::string, Spread> result;
  for (const TallyFigure& figure : tally_figures) {
    if (!figure.has_spread) continue;
    std::vector<double> values;
    for (const Tally& tally : tallies) {
      if (const Count& value = figure.in(tally)) values.push_back(*value);
    }
    if (const auto spread = spread_of(std::move(values))) {
      result[std::string(figure.path())] = *spread;
    }
  }
  return result;
}

}  // namespace retrystorm
