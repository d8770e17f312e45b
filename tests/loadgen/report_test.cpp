// What a reader, a script and a scrape are told, and the exit code.
#include "loadgen/report.hpp"

#include "core/cores.hpp"
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "loadgen/load.hpp"
#include "loadgen/machine.hpp"
#include "loadgen/metrics.hpp"
#include "loadgen/progress.hpp"
#include "tests/loadgen/run_generator.hpp"
#include "tests/temporary_directory.hpp"

#include <filesystem>
#include <regex>
#include <sstream>
#include <thread>

#include <boost/json.hpp>
#include <pty.h>
#include <unistd.h>

namespace retrystorm::loadgen {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// Mixed outcomes: silent, then not found; refused twice; succeeded.
Answer mixed(const Heard& h) {
  switch (h.id.request % 3) {
    case 0:
      return h.id.attempt == 0 ? Answer{} : Answer{reply(404)};
    case 1:
      return Answer{reply(503)};
    default:
      return Answer{reply(200)};
  }
}

LoadOptions mixed_options(const Peer& peer) {
  LoadOptions options = options_for(peer.url(), 60);
  options.scenario.client.timeout = 400ms;
  options.scenario.client.retries = 1;
  return options;
}

struct Loaded {
  int code;
  std::string out;
};
Loaded run_load(const LoadOptions& options) {
  testing::internal::CaptureStdout();
  const int code = load(options);
  return {code, testing::internal::GetCapturedStdout()};
}

// "requests: 10 offered = 4 succeeded + 6 gave_up": {10, 4 + 6}.
std::pair<int, int> conservation(const std::string& text, const std::string& what) {
  std::smatch line;
  const std::regex pattern(what + R"(: (\d+) \w+ = (.*))");
  EXPECT_TRUE(std::regex_search(text, line, pattern)) << text;
  int sum = 0;
  const std::string parts = line[2];
  const std::regex number(R"(\d+)");
  for (std::sregex_iterator at(parts.begin(), parts.end(), number), end; at != end; ++at) {
    sum += std::stoi(at->str());
  }
  return {std::stoi(line[1]), sum};
}

TEST(LoadExitCode, FailsWhereLessSucceedsThanWasAskedFor) {
  Peer peer([](const Heard& h) { return Answer{reply(h.id.request < 15 ? 200 : 503)}; });
  LoadOptions options = options_for(peer.url(), 60);
  EXPECT_THAT(failed_thresholds(run_generator(options)), IsEmpty()) << "nothing was asked for";
  options.min_goodput_ppm = 250'000;
  EXPECT_THAT(failed_thresholds(run_generator(options)), IsEmpty()) << "just met";
  options.min_goodput_ppm = 250'001;
  EXPECT_THAT(failed_thresholds(run_generator(options)),
              testing::ElementsAre("15 of 60 requests succeeded (25 %), below 25.0001 %"));
  const auto [code, out] = run_load(options);
  EXPECT_TRUE(code == exit_failed || code == exit_untrusted) << out;
  EXPECT_THAT(out, HasSubstr("failed: 15 of 60"));
}

TEST(LoadExitCode, FailsWhereNothingSucceedsUnlessThatIsAllowed) {
  const Nobody nobody;
  LoadOptions options = options_for(nobody.url(), 20);
  EXPECT_THAT(failed_thresholds(run_generator(options)),
              testing::ElementsAre(HasSubstr("not one of 20 requests succeeded")));
  const auto [code, out] = run_load(options);
  EXPECT_TRUE(code == exit_failed || code == exit_untrusted) << out;
  EXPECT_THAT(out, HasSubstr("connect_error: 20 connection_refused"));
  EXPECT_THAT(out, HasSubstr("connection_refused: nobody listens at the address"));
  options.allow_failure = true;
  EXPECT_THAT(failed_thresholds(run_generator(options)), IsEmpty());
  options.allow_failure = false;
  options.min_goodput_ppm = 0;  // asked for by name
  EXPECT_THAT(failed_thresholds(run_generator(options)), IsEmpty());
  options.json = true;
  const auto doc = parse_json(run_load(options).out, "stdout");
  EXPECT_EQ(JsonObject(doc, "stdout").object("connect_error").number("connection_refused"), 20);
}

TEST(LoadExitCode, AScheduleOfNothingIsNoFailure) {
  EXPECT_THAT(failed_thresholds(Result{}), IsEmpty());
}

// 0.07 x 100 in binary fractions is more than 7.
TEST(LoadExitCode, ThresholdsThatAreJustMetAreMet) {
  Result r;
  r.seen.offered = 100;
  for (std::uint64_t n = 0; n <= 100; ++n) {
    r.seen.request_outcomes[static_cast<std::size_t>(RequestOutcome::succeeded)] = n;
    r.options.min_goodput_ppm = static_cast<std::int64_t>(n) * 10'000;
    EXPECT_THAT(failed_thresholds(r), IsEmpty()) << n;
  }
  r.seen.offered = 1'000'000;
  r.seen.request_outcomes[static_cast<std::size_t>(RequestOutcome::succeeded)] = 69'999;
  r.options.min_goodput_ppm = 70'000;
  EXPECT_THAT(failed_thresholds(r),
              testing::ElementsAre("69999 of 1000000 requests succeeded (6.9999 %), below 7 %"));
}

// 99 % of what was asked for, exactly, is the load that was asked for.
TEST(LoadReport, ALoadThatIsOffByExactlyTheLimitIsWithinIt) {
  for (std::uint64_t percent = 1; percent < 100; ++percent) {
    Result r;
    r.seen.offered = 1100;
    for (std::uint64_t i = 0; i < 11 * percent; ++i) r.seen.lag.record(100us);
    r.options.limits.rate_error = static_cast<double>(100 - percent) / 100;
    EXPECT_THAT(limited_by(r), IsEmpty()) << percent;
  }
}

TEST(LoadReport, TextLeadsWithGoodputAndItsTotalsAddUp) {
  Peer peer(mixed);
  const auto [code, out] = run_load(mixed_options(peer));
  EXPECT_LT(out.find("goodput"), out.find("offered"));
  EXPECT_LT(out.find("offered"), out.find("attempts"));
  EXPECT_EQ(conservation(out, "requests"), std::make_pair(60, 60)) << out;
  EXPECT_EQ(conservation(out, "attempts"), std::make_pair(100, 100)) << out;
  EXPECT_THAT(out, HasSubstr("status:      20 x 200 + 20 x 404 + 40 x 503"));
  EXPECT_THAT(out, HasSubstr("600/s asked for, 60 scheduled, 60 sent"));
  EXPECT_THAT(out, HasSubstr("send lag"));
}

TEST(LoadReport, RoundsTheRateForPeople) {
  Result r;
  r.options.scenario.client.rate = 228.57142857;
  EXPECT_THAT(to_text(r), HasSubstr("schedule: 228.6/s asked for"));
}

TEST(LoadReport, JsonIsTheOnlyOutputAndSaysTheSame) {
  Peer peer(mixed);
  LoadOptions options = mixed_options(peer);
  options.json = true;
  testing::internal::CaptureStderr();
  const auto [code, out] = run_load(options);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  const auto doc = parse_json(out, "stdout");
  const JsonObject report(doc, "stdout");
  const Tally tally = tally_from_json(report.object("tally"));
  EXPECT_THAT(broken_identities(tally.counts), IsEmpty());
  EXPECT_EQ(tally.counts.offered, 60);
  EXPECT_EQ(tally.counts.succeeded, 20);
  EXPECT_EQ(tally.counts.rejected, 40);
  EXPECT_EQ(tally.counts.timed_out, 20);
  EXPECT_EQ(tally.counts.failed_status, 20);
  EXPECT_EQ(tally.counts.attempts, 100);
  EXPECT_FALSE(tally.counts.completed.has_value());  // the service's to answer
  const JsonObject status = report.object("status");
  EXPECT_EQ(status.number("200"), 20);
  EXPECT_EQ(status.number("404"), 20);
  EXPECT_EQ(status.number("503"), 40);
  EXPECT_EQ(report.number("scheduled"), 60);
  EXPECT_EQ(report.number("sent"), 60);
  EXPECT_EQ(report.number("target_rate_per_s"), 600);
  EXPECT_EQ(report.number("planned"), 0);
  EXPECT_EQ(report.number("threads"), 1);
  EXPECT_FALSE(report.boolean("interrupted"));
  EXPECT_EQ(report.boolean("generator_limited"), !report.texts("reasons").empty());
  // A loaded machine may spoil the lag; nothing else may.
  EXPECT_EQ(code, report.boolean("generator_limited") ? exit_untrusted : exit_done);
}

TEST(LoadReport, TimeoutsStandInEveryCountAndInTheLatencyOfAll) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 20);
  options.scenario.client.timeout = 30ms;
  const Tally tally = tally_of(run_generator(options));
  EXPECT_EQ(tally.counts.timed_out, 20);
  EXPECT_EQ(tally.counts.gave_up, 20);
  EXPECT_GE(*tally.all.p50, 30);
  EXPECT_FALSE(tally.request.p50.has_value());  // no successes, no latency of them
  EXPECT_EQ(tally.whole.goodput_per_s, 0);
}

TEST(LoadReport, ASaturatedGeneratorSaysSo) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 100);
  options.scenario.client.max_in_flight = 1;
  options.machine_caps_in_flight = true;
  options.scenario.drain_limit = 1ms;
  const Loaded text = run_load(options);
  EXPECT_EQ(text.code, exit_untrusted);
  EXPECT_THAT(text.out, HasSubstr("generator-limited: 99 of 100 requests were unsent for a "
                                  "shortage: 99\n    in_flight_cap (by"));
  options.json = true;
  const Loaded json = run_load(options);
  EXPECT_EQ(json.code, exit_untrusted);
  EXPECT_TRUE(parse_json(json.out, "stdout").at("generator_limited").as_bool());
}

TEST(LoadReport, TheVerdictFollowsTheLimits) {
  Result r;
  r.seen.offered = 1000;
  for (int i = 0; i < 1000; ++i) r.seen.lag.record(100us);
  EXPECT_THAT(limited_by(r), IsEmpty());
  ++r.seen.offered;
  r.seen.unsent[static_cast<std::size_t>(Reason::ports)] = 1;
  EXPECT_THAT(limited_by(r),
              testing::ElementsAre("1 of 1001 requests were unsent for a shortage: 1 ports"));
  r.seen.unsent = {};
  r.seen.gave_up[static_cast<std::size_t>(Reason::memory)] = 2;
  EXPECT_THAT(limited_by(r),
              testing::ElementsAre("2 retries were denied for a shortage: 2 memory"));
  r.seen.gave_up = {};
  r.seen.lag.record(21ms);
  r.seen.late = 1;
  EXPECT_THAT(limited_by(r), testing::ElementsAre("send lag max 21 ms is above 20 ms"));
  r.options.limits.send_lag_max_ms = 21;
  EXPECT_THAT(limited_by(r), IsEmpty());
  for (int i = 0; i < 11; ++i) r.seen.lag.record(2ms);
  r.seen.offered += 11;
  r.seen.late += 11;  // 12 of 1012
  EXPECT_THAT(limited_by(r), testing::ElementsAre(HasSubstr("send lag p99 2 ms is above 1 ms")));
  r.options.limits.send_lag_p99_ms = 2;
  r.seen.late = 1;  // as it is counted by that limit
  EXPECT_THAT(limited_by(r), IsEmpty());
}

TEST(LoadReport, WithoutAFirstAttemptNothingTellsTheLag) {
  EXPECT_THAT(limited_by(Result{}), testing::ElementsAre(HasSubstr("nothing tells the send lag")));
}

TEST(LoadReport, CountsAsLateWhatIsLaterThanItsOwnLimit) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  LoadOptions options = options_for(peer.url(), 50);
  options.limits.send_lag_p99_ms = 0;
  const Result r = run_generator(options);
  EXPECT_EQ(r.seen.late, 50U) << "nothing is sent at its very instant";
  EXPECT_THAT(limited_by(r), Contains(HasSubstr("p99")));
}

TEST(LoadReport, SlowConnectCallsAreWarnedOfOnlyWhenTheyRepeat) {
  Result r;
  r.seen.slow_connects = 1;
  EXPECT_THAT(warnings_of(r), IsEmpty());
  r.seen.slow_connects = 30;
  for (int i = 0; i < 30; ++i) r.seen.connect_call.record(6ms);
  EXPECT_THAT(warnings_of(r), Contains(HasSubstr("30 of 30 connect() calls took over 1 ms")));
}

TEST(LoadReport, AGeneratorWithoutCpuToSpareIsWarnedOf) {
  Result r;
  r.wall = 10s;
  r.threads = 2;
  r.cpu = 17s;
  EXPECT_THAT(warnings_of(r), IsEmpty());
  r.cpu = 19s;
  EXPECT_THAT(warnings_of(r), Contains("the generator used 95 % of its 2 cores"));
  r.options.spin = 60us;  // burns CPU on purpose
  EXPECT_THAT(warnings_of(r), IsEmpty());
}

TEST(LoadReport, ARemoteTargetIsRefusedBeforeAnythingIsOpened) {
  const TemporaryDirectory directory;
  const Url elsewhere = parse_url("http://192.0.2.1/", "URL");  // never assigned
  LoadOptions options = options_for(elsewhere, 1);
  options.ledger = directory.path() + "/ledger";
  EXPECT_THROW(load(options), InvalidInput);
  EXPECT_FALSE(std::filesystem::exists(options.ledger));
  options.allow_remote = true;
  EXPECT_NO_THROW(resolve(options));
}

TEST(LoadReport, RecordsTheThreadsItChoseFromTheCores) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  LoadOptions options = options_for(peer.url(), 10);
  options.threads = 0;  // as it likes
  options.json = true;
  const auto doc = parse_json(run_load(options).out, "stdout");
  EXPECT_EQ(JsonObject(doc, "stdout").number("threads"), half_the_cores());
}

TEST(LoadReport, ATakenMetricsPortIsAnError) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  LoadOptions options = options_for(peer.url(), 1);
  options.metrics = peer.url().address;
  EXPECT_THROW(load(options), RunFailed);
  EXPECT_EQ(peer.heard().size(), 0U);
}

double value_of(const std::vector<prometheus::MetricFamily>& families, const std::string& name,
                const std::map<std::string, std::string>& labels = {}) {
  double sum = 0;
  for (const auto& family : families) {
    if (family.name != name) continue;
    for (const auto& metric : family.metric) {
      std::size_t matching = 0;
      for (const auto& label : metric.label) {
        const auto wanted = labels.find(label.name);
        matching += wanted != labels.end() && wanted->second == label.value ? 1 : 0;
      }
      if (matching < labels.size()) continue;
      sum += family.type == prometheus::MetricType::Gauge ? metric.gauge.value
             : family.type == prometheus::MetricType::Counter
                 ? metric.counter.value
                 : static_cast<double>(metric.histogram.sample_count);
    }
  }
  return sum;
}

TEST(LoadMetrics, SayTheSameAsTheReport) {
  Peer peer(mixed);
  LoadOptions options = mixed_options(peer);
  options.threads = 2;
  options.scenario.client.retries = 5;
  Generator generator(options);
  generator.start();
  const Result r = generator.wait();
  const auto families = metrics_of(generator.live());
  EXPECT_EQ(value_of(families, "retrystorm_requests_offered_total"), r.seen.offered);
  for (std::size_t o = 0; o < request_outcome_names.size(); ++o) {
    EXPECT_EQ(value_of(families, "retrystorm_requests_total",
                       {{"outcome", std::string(request_outcome_names[o])}}),
              r.seen.request_outcomes[o]);
  }
  for (std::size_t o = 0; o < attempt_outcome_names.size(); ++o) {
    EXPECT_EQ(value_of(families, "retrystorm_attempts_total",
                       {{"outcome", std::string(attempt_outcome_names[o])}}),
              r.seen.attempt_outcomes[o]);
  }
  // 20 requests are refused six times: three of their attempts fall under "3+".
  EXPECT_EQ(
      value_of(families, "retrystorm_attempts_total", {{"attempt", "3+"}, {"outcome", "rejected"}}),
      60);
  EXPECT_EQ(
      value_of(families, "retrystorm_attempts_total", {{"attempt", "0"}, {"outcome", "rejected"}}),
      20);
  EXPECT_EQ(value_of(families, "retrystorm_in_flight"), 0);
  EXPECT_EQ(value_of(families, "retrystorm_send_lag_seconds"), r.seen.lag.count());
  EXPECT_EQ(value_of(families, "retrystorm_request_latency_seconds"), r.seen.request.count());
}

TEST(LoadMetrics, TellWhatAPolicyKeptBackFromWhatAShortageDid) {
  const Void nothing;
  LoadOptions options = options_for(nothing.url(), 50);
  options.scenario.client.max_in_flight = 5;
  options.scenario.drain_limit = 10ms;
  for (const bool machine : {false, true}) {
    options.machine_caps_in_flight = machine;
    Generator generator(options);
    generator.start();
    generator.wait();
    const auto families = metrics_of(generator.live());
    const auto unsent = [&](const char* kind) {
      return value_of(families, "retrystorm_requests_total",
                      {{"outcome", "unsent"}, {"kind", kind}});
    };
    EXPECT_EQ(unsent("policy"), machine ? 0 : 45);
    EXPECT_EQ(unsent("shortage"), machine ? 45 : 0);
    EXPECT_EQ(value_of(families, "retrystorm_requests_total", {{"outcome", "unsent"}}), 45);
  }
}

// What load() writes to standard error when that is the given file.
std::string written_to(int file, int reader, const LoadOptions& options) {
  const int before = ::dup(STDERR_FILENO);
  ::dup2(file, STDERR_FILENO);
  std::string text;
  std::thread reading([&] {
    char bytes[4096];
    for (ssize_t n = 0; (n = ::read(reader, bytes, sizeof bytes)) > 0;) {
      text.append(bytes, static_cast<std::size_t>(n));
    }
  });
  run_load(options);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(file);  // the last writer: the reader comes to the end
  reading.join();
  ::close(reader);
  return text;
}

TEST(LoadProgress, IsShownOnATerminalAndNowhereElse) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  LoadOptions options = options_for(peer.url(), 50);
  options.scenario.client.duration = 500ms;  // more than a period of the line
  int terminal = -1;
  int screen = -1;
  ASSERT_EQ(::openpty(&screen, &terminal, nullptr, nullptr, nullptr), 0);
  const std::string shown = written_to(terminal, screen, options);
  EXPECT_THAT(shown, HasSubstr(" of 0.5 s, 1 s left  offered "));
  EXPECT_EQ(shown.find('\n'), shown.npos) << "one line, written over and over";
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  EXPECT_EQ(written_to(pipe[1], pipe[0], options), "");
}

TEST(LoadProgress, ShowsCountsAndTheRatesOfTheLastSecond) {
  LiveCounts live;
  Progress progress(60s, 120);
  live.offered.add(100);
  live.attempts.add(100);
  live.ended[0][static_cast<std::size_t>(AttemptOutcome::succeeded)].add(40);
  live.ended[0][static_cast<std::size_t>(AttemptOutcome::rejected)].add(30);
  live.ended[1][static_cast<std::size_t>(AttemptOutcome::timed_out)].add(20);
  live.requests[static_cast<std::size_t>(RequestOutcome::succeeded)].add(40);
  for (int i = 0; i < 100; ++i) live.send_lag.add(live.lag_bounds, 500us);
  EXPECT_EQ(progress.line(live, 200ms),
            "0.2 of 60 s, 60 s left  offered 100  goodput 200/s  attempts 100  rejected 30  timed "
            "out 20  "
            "in flight 10  lag 0.50 ms");
  // 56 in 210 ms, which is not 267/s.
  live.requests[static_cast<std::size_t>(RequestOutcome::succeeded)].add(8);
  Progress fresh(60s, 120);
  fresh.line(live, 0ms);
  live.requests[static_cast<std::size_t>(RequestOutcome::succeeded)].add(8);
  EXPECT_THAT(fresh.line(live, 210ms), HasSubstr("goodput 266.7/s"));
  for (int tick = 2; tick <= 8; ++tick) progress.line(live, tick * 200ms);
  EXPECT_THAT(progress.line(live, 1800ms), HasSubstr("goodput 0/s"));
  EXPECT_THAT(progress.line(live, 60s), testing::StartsWith("60.0 of 60 s, draining  offered"));
}

TEST(LoadProgress, FitsTheTerminal) {
  LiveCounts live;
  live.offered.add(1'000'000'000);
  live.attempts.add(3'000'000'000);
  for (const std::size_t width : {40, 80, 100, 200}) {
    EXPECT_LT(Progress(60s, width).line(live, 200ms).size(), width);
  }
  EXPECT_EQ(Progress(60s, 40).line(live, 200ms), "0.2 of 60 s, 60 s left  goodput 0/s");
  EXPECT_THAT(Progress(60s, 80).line(live, 200ms), HasSubstr("offered 1000000000"));
}

TEST(LoadReport, FitsTheTerminal) {
  Result r;
  r.seen.offered = 1'000'000;
  for (int i = 0; i < 1000; ++i) r.seen.lag.record(3456789us);
  r.seen.request = r.seen.attempt = r.seen.all = r.seen.lag;
  r.seen.connect_errors[static_cast<std::size_t>(Reason::connection_refused)] = 1'000'000;
  for (const std::size_t width : {60, 80}) {
    std::istringstream lines(to_text(r, width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
}

}  // namespace
}  // namespace retrystorm::loadgen
