#include "experiments/run/prometheus/live_page.hpp"

#include "core/clocks.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "experiments/evidence/run_directory.hpp"
#include "experiments/run/prometheus/rule_scale.hpp"
#include "experiments/run/prometheus/server.hpp"

#include <algorithm>

#include <boost/json.hpp>

namespace retrystorm {
namespace json = boost::json;

LivePage::LivePage(std::string directory, std::string experiment, const TrustLimits& limits)
    : directory_(std::move(directory)), experiment_(std::move(experiment)), limits_(limits) {
  make_directories(directory_);
  write();
}

void LivePage::begins(const TryKey& key, Duration sending) {
  const double from = unix_seconds();
  tries_.push_back({key, from, from + seconds(sending), {}, {}, {}});
  write();
}

void LivePage::ends() {
  if (tries_.empty() || tries_.back().to) return;  // it had not begun
  Seen& last = tries_.back();
  last.to = unix_seconds();
  last.sent_until = std::min(last.sent_until, *last.to);
  write();
}

void LivePage::judged(bool trusted, const std::vector<std::string>& why) {
  if (tries_.empty() || tries_.back().trusted) return;  // it had not begun
  tries_.back().trusted = trusted;
  tries_.back().reasons = why;
  write();
}

void LivePage::done() {
  done_ = true;
  write();
}

void LivePage::write() const {
  json::array tries;
  for (const Seen& seen : tries_) {
    tries.push_back({{"arm", seen.key.arm},
                     {"try_number", seen.key.try_number},
                     {"repeat", seen.key.try_number},  // its name in earlier versions
                     {"from", seen.from},
                     {"sent_until", seen.sent_until},
                     {"to", json_number(seen.to)},
                     {"trusted", seen.trusted ? json::value(*seen.trusted) : nullptr},
                     {"reasons", json::value_from(seen.reasons)}});
  }
  const json::value run = {
      {"experiment", experiment_},      {"done", done_},
      {"rule_scale", short_run_factor}, {"scrape_interval", seconds(scrape_interval)},
      {"limits", to_json(limits_)},     {"tries", tries}};
  write_whole(run_file(), json::serialize(run));
}

void end_page(const std::string& directory) {
  const std::string file = directory + "/run.json";
  json::value run = parse_json(read_file(file), file);
  try {
    json::object& whole = run.as_object();
    json::value& done = whole.at("done");
    if (done.as_bool()) return;
    done = true;
    for (json::value& seen : whole.at("tries").as_array()) {
      json::object& one = seen.as_object();
      if (one.at("to").is_null()) one["to"] = one.at("sent_until");
    }
  } catch (const std::exception&) {
    throw InvalidInput(file, "", "must be what retrystorm run wrote about its tries");
  }
  write_whole(file, json::serialize(run));
}

}  // namespace retrystorm
