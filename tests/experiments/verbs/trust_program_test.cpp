// The real program under what must not be trusted: short of descriptors, or with its service
// stopped. What is asserted are reasons, whatever the machine's speed adds to them.
#include "core/json_reader.hpp"
#include "tests/experiments/verbs/end_to_end.hpp"

#include <csignal>
#include <thread>

#include <boost/json.hpp>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class UntrustedProgram : public RealProgram {};

// So few descriptors that the machine's cap on attempts in flight is reached. With still fewer they
// run out themselves; but then the checks of a build with sanitizers, which need some, fail first.
TEST_F(UntrustedProgram, ShortOfDescriptorsNamesThemInTrustInTheTableAndAsTheGeneratorDoes) {
  const std::string out = directory_.file("run");
  const std::string small = source_path("experiments/scenarios/small.toml");
  EXPECT_EQ(
      execute_in_shell("ulimit -n 64; exec \"$0\" \"$@\"",
                       {"run", small, "--retries", "2", "--workers", "20", "--queue", "100",
                        "--rate", "1200", "--duration", "1s", "--more-tries", "0", "--out", out}),
      3)
      << error_;
  const Report report = report_in(out);
  ASSERT_EQ(report.arms.size(), 1U);
  const ArmReport& arm = report.arms.front();
  EXPECT_FALSE(arm.trusted);
  ASSERT_TRUE(arm.measured);
  EXPECT_GT(*arm.measured->counts.unsent, 0);
  EXPECT_THAT(arm.reasons,
              Contains(AllOf(HasSubstr("of 1200 requests were unsent for a shortage: "),
                             HasSubstr(" in_flight_cap (by the descriptors"))));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out + "/arms")) {
    if (entry.path().filename() != "try.json") continue;
    const auto note = parse_json(read_file(entry.path().string()), "note");
    const JsonObject said = JsonObject(note, "note").object("generator_said");
    EXPECT_TRUE(said.boolean("generator_limited"));
    for (const std::string& reason : said.texts("reasons")) {
      if (reason.starts_with("send lag p99")) continue;  // of many, its histogram rounds it
      EXPECT_THAT(arm.reasons, Contains(reason)) << "the same words";
    }
  }
  EXPECT_THAT(output_, AllOf(HasSubstr("UNTRUSTED"), HasSubstr(" unsent "), HasSubstr("shortage")));
  for (const char* format : {"markdown", "csv", "html"}) {
    EXPECT_EQ(execute({"report", out, "--format", format, "--out", "-"}), 3) << error_;
    EXPECT_THAT(output_, HasSubstr("unsent")) << format;
  }
}

// 80/s for two workers of 20 ms: one is always at work, and due within 12.5 ms.
TEST_F(UntrustedProgram, WithItsServiceStoppedForFortyMillisecondsSaysHowLateItWas) {
  const std::string file = directory_.write(
      "e.toml",
      "[experiment]\nname = \"bench\"\n[service]\nworkers = 2\nwork = \"20ms\"\nqueue = 10\n"
      "[client]\nrate = 80\ntimeout = \"25ms\"\nduration = \"3s\"\n");
  const std::string out = directory_.file("run");
  const auto run = start({"run", file, "--out", out, "--more-tries", "0"});
  ASSERT_NO_FATAL_FAILURE(wait_for_load(*run, out, "bench"));
  const int service = child_running(run->pid(), "serve");
  ASSERT_GT(service, 0);
  ::kill(service, SIGSTOP);
  std::this_thread::sleep_for(40ms);
  ::kill(service, SIGCONT);
  EXPECT_EQ(finish(*run), 3);
  const Report report = report_in(out);
  EXPECT_FALSE(report.arms.front().trusted);
  EXPECT_THAT(report.arms.front().reasons, Contains(HasSubstr("the service's lateness in")));
  const TrustFigures& figures = report.arms.front().tries.front().trust;
  EXPECT_GT(std::max(*figures.service_lateness_max_ms, *figures.read_lateness_max_ms), 20);
}

TEST_F(UntrustedProgram, HasTheSameFlagsOfItsLimitsInLoadAsInRun) {
  EXPECT_EQ(execute({"run", "--help"}), 0);
  const std::string of_run = output_;
  EXPECT_EQ(execute({"load", "--help"}), 0);
  for (const TrustLimit& one : trust_limits) {
    EXPECT_THAT(of_run, HasSubstr(std::string(one.flag)));
    if (one.of_generator) {
      EXPECT_THAT(output_, HasSubstr(std::string(one.flag)));
    } else {
      EXPECT_THAT(output_, Not(HasSubstr(std::string(one.flag)))) << "the service's to tell";
    }
  }
  EXPECT_EQ(execute({"load", "http://127.0.0.1:1/", "--lag-max-ms", "-1"}), 2);
  EXPECT_THAT(error_, HasSubstr("--lag-max-ms"));
}

}  // namespace
}  // namespace retrystorm
