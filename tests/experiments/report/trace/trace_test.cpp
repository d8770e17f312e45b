#include "core/json.hpp"
#include "experiments/evidence/import.hpp"
#include "experiments/report/trace/trace_pictures.hpp"
#include "tests/experiments/report/fixture.hpp"

#include <map>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The storm of the small collapse, with one request of each fate found in it.
class TraceOfAStorm : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Arm& arm : arms_of(fixture::small_collapse(), "test")) scenario = arm.scenario;
    database.emplace(open_ledger(folder.path() + "/run.sqlite"));
    fixture::write_ledger(*database, key, scenario);
    all = trace_requests(*database, key, std::nullopt);
  }
  const TracedRequest& first_with(const std::function<bool(const TracedRequest&)>& want) const {
    const auto found = std::find_if(all.begin(), all.end(), want);
    if (found == all.end()) throw std::runtime_error("no such request");
    return *found;
  }
  const TracedRequest& abandoned() const {
    return first_with([](const TracedRequest& r) {
      return !r.attempts.empty() && was_abandoned(r.attempts.front());
    });
  }

  fixture::Folder folder;
  TryKey key{"<storm> & \"co\"", 0};
  Scenario scenario;
  std::optional<Database> database;
  std::vector<TracedRequest> all;
};

TEST_F(TraceOfAStorm, FindsOneRequestAsItStandsAmongAll) {
  const TracedRequest& wanted = abandoned();
  const auto one = trace_requests(*database, key, wanted.request);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(to_json(one[0]), to_json(wanted));
  EXPECT_TRUE(trace_requests(*database, key, 1'000'000).empty());
}

TEST_F(TraceOfAStorm, HasAllAttempts) {
  const Tally tally = tally_from_ledger(*database, key, scenario);
  std::size_t attempts = 0;
  std::size_t gone = 0;
  for (const TracedRequest& request : all) {
    attempts += request.attempts.size();
    for (const TracedAttempt& attempt : request.attempts) gone += was_abandoned(attempt);
  }
  EXPECT_EQ(static_cast<double>(attempts), *tally.counts.attempts);
  EXPECT_EQ(static_cast<double>(gone), *tally.counts.abandoned);
}

TEST_F(TraceOfAStorm, TellsInTextWhatHappened) {
  const std::string text = trace_text(abandoned(), key, false);
  EXPECT_THAT(text, HasSubstr("timed_out after 100.0 ms"));
  EXPECT_THAT(text, HasSubstr("worked 20.0 ms, completed, abandoned: the client had left"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  const std::string refused = trace_text(
      first_with([](const TracedRequest& r) { return r.attempts.back().outcome == "rejected"; }),
      key, false);
  EXPECT_THAT(refused, HasSubstr("rejected (503)"));
  EXPECT_THAT(refused, HasSubstr("refused (queue_full)"));
}

TEST_F(TraceOfAStorm, DrawsAnSvgInWhichNamesAreText) {
  const std::string svg = trace_svg(abandoned(), key);
  EXPECT_THAT(svg, HasSubstr("&lt;storm&gt; &amp; &quot;co&quot;"));
  EXPECT_THAT(svg, Not(HasSubstr("<storm>")));
  EXPECT_THAT(svg, HasSubstr("class=\"vain\""));
}

// What viewers need: known phases, numbers where numbers belong, and on each track slices that
// nest or follow one another, exactly, in the floating arithmetic that viewers use.
TEST_F(TraceOfAStorm, ExportsTraceEventsThatNest) {
  const std::string text = trace_events({{key, scenario.service.workers, all}});
  const json::value trace = parse_json(text, "trace");
  struct Slice {
    double from, to;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Slice>> tracks;
  std::map<std::string, std::size_t> phases;
  for (const json::value& event : trace.at("traceEvents").as_array()) {
    const json::object& o = event.as_object();
    const std::string phase(o.at("ph").as_string());
    ++phases[phase];
    ASSERT_TRUE(o.at("pid").is_int64() && o.at("tid").is_int64());
    ASSERT_TRUE(o.at("name").is_string());
    if (phase == "M") continue;
    const double at = o.at("ts").to_number<double>();
    if (phase != "X") continue;
    tracks[{o.at("pid").as_int64(), o.at("tid").as_int64()}].push_back(
        {at, at + o.at("dur").to_number<double>()});
  }
  const Tally tally = tally_from_ledger(*database, key, scenario);
  EXPECT_EQ(static_cast<double>(phases["i"]), *tally.counts.refused);
  EXPECT_GT(phases["C"], 0U);
  for (auto& [track, slices] : tracks) {
    std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      return a.from != b.from ? a.from < b.from : a.to > b.to;
    });
    std::vector<double> open;
    for (const Slice& s : slices) {
      while (!open.empty() && open.back() <= s.from) open.pop_back();
      EXPECT_TRUE(open.empty() || s.to <= open.back()) << "track " << track.second;
      open.push_back(s.to);
    }
  }
}

// A worker is a track: no more of them than the service has.
TEST_F(TraceOfAStorm, ShowsAsManyWorkersAsThereAre) {
  const json::value trace =
      parse_json(trace_events({{key, scenario.service.workers, all}}), "trace");
  std::int64_t workers = 0;
  for (const json::value& event : trace.at("traceEvents").as_array()) {
    if (event.at("name").as_string() != "thread_name") continue;
    workers += event.at("args").at("name").as_string().starts_with("worker ");
  }
  EXPECT_EQ(workers, scenario.service.workers);
}

TEST(Trace, TellsOfAnAttemptThatTheServiceNeverSaw) {
  TracedRequest request;
  request.outcome = "unfinished";
  request.attempts.push_back({0, 10, {}, "unfinished", 0, false, {}});
  EXPECT_THAT(trace_text(request, {"a", 0}, false), HasSubstr("the service never saw it"));
  EXPECT_THAT(trace_svg(request, {"a", 0}), HasSubstr("never seen"));
  EXPECT_THAT(trace_text({}, {"a", 0}, false), HasSubstr("no attempt was made"));
}

TEST(Trace, OfADamagedLedgerIsStillJson) {
  TracedRequest request;
  request.outcome = "\"},{\xff\n";
  request.reason = "\\";
  request.scheduled = -5'000'001;
  request.attempts.push_back({0, -10, 20, "a\"b\x80", 0, false, {}});
  TracedTry traced;
  traced.key.arm = "\xfe";
  traced.requests = {request};
  EXPECT_NO_THROW(parse_json(trace_events({traced}), "trace"));
}

}  // namespace
}  // namespace retrystorm
