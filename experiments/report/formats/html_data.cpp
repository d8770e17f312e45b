// What the pictures of the HTML report show, gathered and as JSON.
#include "core/error.hpp"
#include "core/json.hpp"
#include "core/recordings.hpp"
#include "experiments/evidence/calibrate.hpp"
#include "experiments/evidence/stored_run.hpp"
#include "experiments/report/count_error.hpp"
#include "experiments/report/formats/html.hpp"
#include "experiments/report/layout.hpp"
#include "experiments/report/tables.hpp"
#include "experiments/report/words/arms.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <boost/json.hpp>

namespace retrystorm {
namespace json = boost::json;
namespace {

// Beyond this many arms the pictures over time would bury the reader; the tables have them all.
constexpr std::size_t most_drawn = 40;

// Rounded to what a picture can show, so that the file stays small.
json::array rounded(const std::vector<double>& values, double step) {
  json::array list;
  list.reserve(values.size());
  for (const double v : values) list.push_back(json_number(std::round(v / step) * step));
  return list;
}

json::array whole(const std::vector<double>& values) {
  return rounded(values, 1);
}

json::value series_json(const std::optional<Series>& series) {
  if (!series || series->offered.empty()) return nullptr;
  json::object ended;
  for (std::size_t i = 0; i < attempt_outcome_names.size(); ++i) {
    const std::string_view outcome = attempt_outcome_names[i];
    ended[{outcome.data(), outcome.size()}] = whole(series->ended[i]);
  }
  return {{"bin_s", seconds(series->bin)},
          {"offered", whole(series->offered)},
          {"attempts", whole(series->attempts)},
          {"succeeded", whole(series->succeeded)},
          {"completed", whole(series->completed)},
          {"ended", std::move(ended)},
          {"queue", rounded(series->queue, 0.01)},
          {"useful", rounded(series->useful, 1e-5)},
          {"abandoned", rounded(series->abandoned, 1e-5)},
          {"refusals", rounded(series->refusals, 1e-5)},
          {"other", rounded(series->other, 1e-5)},
          {"age_bin_ms", milliseconds(series->age_bin)},
          {"age_taken", whole(series->age_taken)},
          {"age_abandoned", whole(series->age_abandoned)}};
}

json::value predicted_json(const std::optional<PredictedSeries>& predicted) {
  if (!predicted) return nullptr;
  return {{"step_s", seconds(predicted->step)},
          {"goodput", rounded(predicted->goodput_per_s, 0.01)},
          {"throughput", rounded(predicted->throughput_per_s, 0.01)},
          {"attempts", rounded(predicted->attempts_per_s, 0.01)},
          {"offered", rounded(predicted->offered_per_s, 0.01)},
          {"queue", whole(predicted->queue)}};
}

std::string why_blank(const ArmReport& arm) {
  if (!arm.measured) {
    return arm.status == "not_run" || arm.reasons.empty() ? "not run" : arm.reasons.front();
  }
  return "nothing in the ledger";
}

// Where the settled window begins: at the end where there is none.
double settled_from_s(const Scenario& s, const Settling& settling) {
  if (!settling.reason.empty()) return seconds(s.client.duration);
  return settling.from_s.value_or(seconds(since_start(settled_from(s))));
}

// The rates of recorded arrivals, by windows: a step each.
json::array recorded_json(const Scenario& s) {
  constexpr std::int64_t most_steps = 200;
  constexpr Duration shortest = std::chrono::milliseconds(100);
  json::array corners;
  if (!s.client.recorded.values) return corners;
  const Duration step = std::max<Duration>(shortest, s.client.duration / most_steps);
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(s.client.duration / step) + 1);
  for (const Instant at : *s.client.recorded.values) {
    ++counts[static_cast<std::size_t>(since_start(at) / step)];
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Duration from = step * static_cast<std::int64_t>(i);
    const Duration to = std::min<Duration>(from + step, s.client.duration);
    if (to <= from) break;
    const double rate = static_cast<double>(counts[i]) / seconds(to - from);
    corners.push_back(json::array{seconds(from), json_number(rate)});
    corners.push_back(json::array{seconds(to), json_number(rate)});
  }
  return corners;
}

// The offered load over time, as the corners of its line: [seconds, per second].
json::array offered_json(const Scenario& s) {
  json::array corners;
  const auto corner = [&](Duration at, double rate) {
    corners.push_back(json::array{seconds(at), json_number(rate)});
  };
  if (s.client.users) return corners;  // they offer what they are answered
  if (s.client.recorded) return recorded_json(s);
  if (s.client.stages.empty()) {
    corner(Duration::zero(), s.client.rate);
    corner(s.client.duration, s.client.rate);
  }
  Duration start{};
  for (const Stage& stage : s.client.stages) {
    corner(start, start_rate(stage));
    start += stage.length;
    corner(start, end_rate(stage));
  }
  return corners;
}

json::value arm_json(const ArmReport& arm, const std::optional<Series>& series,
                     const std::optional<PredictedSeries>& predicted) {
  const Scenario& s = arm.scenario;
  const Tally measured = arm.measured.value_or(Tally{});
  const bool failed = !arm.measured;
  const auto useful = useful_queue(s);
  return {{"name", printable(arm.name, 400)},
          {"status", printable(arm.status)},
          {"trusted", arm.trusted},
          {"healthy", arm.trusted && course_of(arm) == Course::fine},
          {"why_blank", printable(why_blank(arm), 200)},
          {"offered_per_s", json_number(s.client.users ? Count() : peak_rate(s))},
          {"offered", offered_json(s)},
          {"duration_s", seconds(s.client.duration)},
          {"settle_s", settled_from_s(s, measured.settling)},
          {"timeout_ms", milliseconds(s.client.timeout)},
          {"retries", s.client.retries},
          {"workers", s.service.workers},
          {"queue_places", queue_places(s)},
          {"useful_queue", useful ? json::value(*useful) : nullptr},
          {"figures",
           {{"goodput", json_number(measured.whole.goodput_per_s)},
            {"amplification", json_number(measured.whole.amplification)},
            {"succeeded", json_number(measured.counts.succeeded)},
            {"attempts", json_number(measured.counts.attempts)}}},
          {"series", failed ? json::value() : series_json(series)},
          {"predicted", failed ? json::value() : predicted_json(predicted)}};
}

json::value layout_json(const Layout& layout) {
  json::array columns;
  for (const std::string& column : layout.columns) columns.emplace_back(printable(column, 400));
  json::array rows;
  for (const LayoutRow& row : layout.rows) {
    json::array cells;
    for (const auto& cell : row.cells) {
      if (cell && *cell < most_drawn) {
        cells.emplace_back(*cell);
      } else {
        cells.emplace_back(nullptr);
      }
    }
    rows.push_back({{"label", printable(row.label, 400)}, {"cells", std::move(cells)}});
  }
  return {{"columns", std::move(columns)}, {"rows", std::move(rows)}};
}

json::value point_json(const Tally& tally, const std::string& window, const Count& value) {
  if (!value) return nullptr;
  const auto spread = tally.spread.find(window + ".goodput_per_s");
  const bool known = spread != tally.spread.end();
  return {{"value", json_number(value)},
          {"low", known ? json_number(spread->second.low) : json::value()},
          {"high", known ? json_number(spread->second.high) : json::value()}};
}

json::array cliffs_json(const Report& report, const std::vector<Cliff>& cliffs) {
  json::array list;
  for (const Cliff& cliff : cliffs) {
    json::array points;
    double limit = 0;
    for (const std::size_t i : cliff.arms) {
      const ArmReport& arm = report.arms[i];
      limit = std::max(limit, ceiling(arm.scenario));
      if (!arm.measured) continue;
      const Tally& t = *arm.measured;
      points.push_back(
          {{"rate", json_number(arm.scenario.client.rate)},
           {"trusted", arm.trusted},
           {"whole", point_json(t, "whole", t.whole.goodput_per_s)},
           {"settled", point_json(t, "settled", t.settled.goodput_per_s)},
           {"published",
            json_number(arm.published ? arm.published->tally.whole.goodput_per_s : std::nullopt)}});
    }
    json::array predicted;
    for (const CliffPoint& p : cliff.predicted) {
      predicted.push_back(
          {{"rate", p.rate}, {"whole", json_number(p.whole)}, {"settled", json_number(p.settled)}});
    }
    list.push_back({{"label", printable(cliff.label, 400)},
                    {"ceiling_per_s", json_number(limit)},
                    {"points", std::move(points)},
                    {"predicted", std::move(predicted)}});
  }
  return list;
}

json::array errors_json(const Report& report) {
  json::array list;
  for (const ArmReport& arm : report.arms) {
    if (!comparable(arm) || predictions(arm).empty()) continue;
    json::array values;
    for (const std::string_view count : judged_counts) {
      const auto percent_of_attempts = [&](const Tally* predicted) -> json::value {
        if (!predicted) return nullptr;
        const auto error = count_error(count, predicted->counts, arm.measured->counts);
        if (!error || !error->share_of_attempts) return nullptr;
        return 100 * *error->share_of_attempts;
      };
      values.push_back({{"name", path_words(count)},
                        {"nominal", percent_of_attempts(simulated(arm.predicted.nominal))},
                        {"calibrated", percent_of_attempts(simulated(arm.predicted.calibrated))},
                        {"replay", percent_of_attempts(arm.predicted.replay ? &*arm.predicted.replay
                                                                            : nullptr)}});
    }
    list.push_back({{"arm", printable(arm.name, 400)},
                    {"trusted", arm.trusted},
                    {"counts", std::move(values)}});
  }
  return list;
}

// The simulated course: in the world of the measured try where the run was so predicted, else the
// scenario's own.
std::optional<PredictedSeries> predicted_course(Database& database, const Try& measured,
                                                const ArmReport& arm, Duration length,
                                                Duration bin) {
  if (!best_prediction(arm) || !recordings_are_read(arm.scenario)) return std::nullopt;
  if (simulated(arm.predicted.calibrated)) {
    const Calibration c = calibrate(database, measured.key, arm.scenario);
    if (arm.scenario.client.users) {
      return predict_series(c.scenario, length, bin, {nullptr, c.noise});
    }
    if (!c.first_sends.empty()) {
      const Replay sends{c.first_sends, {}};
      return predict_series(c.scenario, length, bin, {&sends, c.noise});
    }
  }
  return predict_series(arm.scenario, length, bin);
}

// The arms that differ in nothing but their load, each such group a cliff.
std::vector<Cliff> cliffs_of(const Report& report) {
  constexpr std::size_t most_cliffs = 12;
  std::vector<Cliff> cliffs;
  std::map<std::string, std::size_t> index_of;  // by scenario without its load
  for (const LayoutRow& row : layout_of(report).rows) {
    for (const auto& cell : row.cells) {
      if (!cell || report.arms[*cell].scenario.client.rate <= 0) continue;
      Scenario same = report.arms[*cell].scenario;
      if (!has_one_rate(same.client)) continue;
      same.client.rate = 1;
      const auto [at, fresh] = index_of.emplace(json::serialize(to_json(same)), cliffs.size());
      if (fresh)
        cliffs.push_back({row.label.empty() ? report.arms[*cell].name : row.label, {}, {}});
      cliffs[at->second].arms.push_back(*cell);
    }
  }
  if (cliffs.size() > most_cliffs) cliffs.resize(most_cliffs);
  for (Cliff& cliff : cliffs) {
    const ArmReport& first = report.arms[cliff.arms.front()];
    if (!best_prediction(first)) continue;
    double low = first.scenario.client.rate;
    double high = low;
    for (const std::size_t i : cliff.arms) {
      low = std::min(low, report.arms[i].scenario.client.rate);
      high = std::max(high, report.arms[i].scenario.client.rate);
    }
    const double limit = ceiling(first.scenario);
    cliff.predicted =
        predict_cliff(first.scenario, std::min(low, 0.8 * limit), std::max(high, 1.2 * limit));
  }
  // A single point with no line through it is no picture.
  std::erase_if(cliffs, [](const Cliff& c) { return c.arms.size() < 2 && c.predicted.empty(); });
  return cliffs;
}

}  // namespace

Pictures pictures_of(const Report& report, const std::string& directory) {
  Pictures pictures;
  pictures.measured.resize(report.arms.size());
  pictures.predicted.resize(report.arms.size());
  std::optional<Database> database;
  if (std::any_of(report.arms.begin(), report.arms.end(),
                  [](const ArmReport& arm) { return measured_try(arm) != nullptr; })) {
    database = ledger_of_directory(directory);
  }
  for (std::size_t i = 0; i < std::min(report.arms.size(), most_drawn); ++i) {
    const ArmReport& arm = report.arms[i];
    const Try* measured = measured_try(arm);
    if (!database || !measured) continue;
    Series series = series_from_ledger(*database, measured->key, arm.scenario);
    if (series.offered.empty()) continue;
    const Duration length = series.bin * static_cast<std::int64_t>(series.offered.size());
    pictures.predicted[i] = predicted_course(*database, *measured, arm, length, series.bin);
    pictures.measured[i] = std::move(series);
  }
  pictures.cliffs = cliffs_of(report);
  return pictures;
}

json::value picture_data(const Report& report, const Pictures& pictures) {
  json::array arms;
  for (std::size_t i = 0; i < std::min(report.arms.size(), most_drawn); ++i) {
    arms.push_back(arm_json(report.arms[i], pictures.measured[i], pictures.predicted[i]));
  }
  return {{"arms", std::move(arms)},
          {"layout", layout_json(layout_of(report))},
          {"cliffs", cliffs_json(report, pictures.cliffs)},
          {"errors", errors_json(report)}};
}

}  // namespace retrystorm
