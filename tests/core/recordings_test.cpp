#include "core/recordings.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/policy/arrivals.hpp"
#include "core/policy/work.hpp"
#include "core/recording_source.hpp"
#include "core/scenario_toml.hpp"
#include "core/tally.hpp"
#include "tests/seed.hpp"
#include "tests/temporary_directory.hpp"

#include <map>
#include <tuple>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class RecordingFiles : public testing::Test {
 protected:
  // The instants of a file with that text, in nanoseconds; `how` stands behind its name.
  std::vector<std::int64_t> instants(const std::string& text, const std::string& how = "") {
    std::vector<std::int64_t> list;
    for (const Instant at : read_instants(directory_.write("arrivals.txt", text) + how)) {
      list.push_back(nanoseconds_of(at));
    }
    return list;
  }
  // Why it is refused.
  std::string error_of(const std::string& text, const std::string& how = "") {
    try {
      instants(text, how);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  }
  std::string error_of_times(const std::string& text, const std::string& how = "") {
    try {
      read_times(directory_.write("work.txt", text) + how);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  }
  Scenario with_recording(const std::string& text) {
    Scenario s;
    s.client.recorded = {directory_.write("arrivals.txt", text), nullptr};
    Recordings().read_into(s);
    return s;
  }

  TemporaryDirectory directory_;
};

TEST_F(RecordingFiles, HoldInstantsInTheirUnitExactly) {
  EXPECT_THAT(instants("0\n0.1\n0.1\n1.000000001\n"),
              ElementsAre(0, 100'000'000, 100'000'000, 1'000'000'001));
  EXPECT_THAT(instants("1\n2", ":us"), ElementsAre(1'000, 2'000));
  EXPECT_THAT(instants("7\n", ":ns"), ElementsAre(7));
}

TEST_F(RecordingFiles, SkipBlankLinesAndRemarksAndTakeLinesOfWindows) {
  EXPECT_THAT(instants("# seconds\r\n\r\n  1\r\n\t2 \r\n"),
              ElementsAre(1'000'000'000, 2'000'000'000));
  EXPECT_THAT(instants("5ms\n0.25s\n1\n"), ElementsAre(5'000'000, 250'000'000, 1'000'000'000));
}

TEST_F(RecordingFiles, HoldInstantsInAColumnOfALogOrATable) {
  EXPECT_THAT(instants("GET 1.5 200\nPOST   1.75 503\n", ":2"),
              ElementsAre(1'500'000'000, 1'750'000'000));
  EXPECT_THAT(instants("a,\"3\",x\n,4,\n", ":2:ms"), ElementsAre(3'000'000, 4'000'000));
  EXPECT_THAT(instants("1.2.3.4 - - [10/Oct/2026:13:59:59 +0000] \"GET / HTTP/1.1\" 200 5\n"
                       "1.2.3.4 - \xff [10/Oct/2026:16:00:01 +0200] \"GET / HTTP/1.1\" 200 5\n",
                       ":4"),
              ElementsAre(0, 2'000'000'000))
      << "from the first on, whatever the zone and the other columns";
}

TEST_F(RecordingFiles, BeginAtZeroUnlessToldOtherwise) {
  EXPECT_THAT(instants("3\n4\n"), ElementsAre(3'000'000'000, 4'000'000'000));
  EXPECT_THAT(instants("1760104799.25\n1760104800\n", ":first"), ElementsAre(0, 750'000'000));
  EXPECT_THAT(error_of("1760104799.25\n"), HasSubstr("`:first` behind the file's name"));
}

TEST_F(RecordingFiles, ThatAreUnfitAreRefusedInOneLineThatNamesTheLine) {
  const std::string file = directory_.file("arrivals.txt");
  EXPECT_EQ(error_of("1\n3\n2\n"),
            file +
                ":3: client.recorded: must not be earlier than the line before: sort the file by "
                "its instants");
  EXPECT_EQ(error_of("\n# nothing\n"),
            file + ": client.recorded: is empty: it must have a value on each line");
  for (const auto& [text, line] : {std::pair("1\n\xff\xfe\n", 2),
                                   {"-1\n", 1},
                                   {"1e3\n", 1},
                                   {"1\n2026-10-10T13:55:36Z\n", 2},
                                   {"0.0000000001\n", 1},
                                   {"nan\n", 1},
                                   {"5m\n", 1},
                                   {"x\n", 1},
                                   {"9999999999999999999999\n", 1}}) {
    EXPECT_THAT(error_of(text),
                AllOf(HasSubstr(fmt::format("{}:{}: client.recorded: must", file, line)),
                      Not(HasSubstr("\n")), Not(HasSubstr("\xff"))));
  }
  EXPECT_THAT(error_of("1 2\n", ":3"), HasSubstr("must have in column 3 an instant"));
  EXPECT_THAT(error_of("0\n86400\n"), HasSubstr("must be within 24h"));
  EXPECT_THAT(error_of(std::string(100'000, '1')), HasSubstr("lines of at most"));
}

TEST_F(RecordingFiles, ThatAreNoFilesAreRefusedAndNotWaitedFor) {
  const std::string pipe = directory_.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& file :
       {pipe, directory_.path(), directory_.file("nowhere"), std::string("/dev/zero")}) {
    try {
      read_instants(file);
      ADD_FAILURE() << file;
    } catch (const InvalidInput& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(file), HasSubstr("cannot be read")));
    }
  }
}

TEST_F(RecordingFiles, HoldWorkTimesEachAsOftenAsItWasSeen) {
  const RecordedTimes seen = read_times(directory_.write("work.txt", "20ms\n0.5 3\n7us 2\n"));
  EXPECT_THAT(seen.times, ElementsAre(20ms, 500ms, 7us));
  EXPECT_THAT(seen.up_to, ElementsAre(1U, 4U, 6U));
  const RecordedTimes column = read_times(directory_.write("work.txt", "a 3 9\nb 4 9\n") + ":2:ms");
  EXPECT_THAT(column.times, ElementsAre(3ms, 4ms));
  EXPECT_THAT(column.up_to, ElementsAre(1U, 2U)) << "behind a column stands another";
}

TEST_F(RecordingFiles, WithUnfitWorkTimesAreRefusedInOneLine) {
  EXPECT_THAT(error_of_times(""), HasSubstr("service.recorded_work: is empty"));
  EXPECT_THAT(error_of_times("0\n"), HasSubstr("work.txt:1: service.recorded_work: must have"));
  EXPECT_THAT(error_of_times("1ms\n2h\n"), HasSubstr("work.txt:2: "));
  EXPECT_THAT(error_of_times("1ms 0\n"), HasSubstr("must have a count from 1"));
  EXPECT_THAT(error_of_times("1ms many\n"), HasSubstr("got 'many'"));
  EXPECT_THAT(error_of_times("1ms\n", ":first"), HasSubstr("work has no start"));
}

TEST_F(RecordingFiles, ReadBackEqualAsTheirOwnText) {
  const RecordedInstants instants_read = read_instants(directory_.write("a", "0.5\n0.5\n3.25\n"));
  EXPECT_EQ(read_instants(directory_.write("b", text_of(instants_read)) + ":ns"), instants_read);
  const RecordedTimes times = read_times(directory_.write("c", "20ms 3\n1\n"));
  const RecordedTimes again = read_times(directory_.write("d", text_of(times)) + ":ns");
  EXPECT_EQ(again.times, times.times);
  EXPECT_EQ(again.up_to, times.up_to);
}

TEST_F(RecordingFiles, OfAnEvenScheduleGiveItsRateDurationAndRequests) {
  Scenario even;
  even.client.rate = 1200;
  even.client.duration = 3s;
  std::string text;
  std::vector<std::tuple<std::uint64_t, Instant>> planned;
  for (Arrivals a(even); a.next() != never; a.pop()) {
    text += fmt::format("{}ns\n", nanoseconds_of(a.next()));
    planned.emplace_back(a.index(), a.next());
  }
  const Scenario s = with_recording(text);
  EXPECT_EQ(s.client.duration, even.client.duration);
  EXPECT_DOUBLE_EQ(s.client.rate, even.client.rate);
  std::map<std::uint64_t, Instant> offered;  // by three threads together
  for (std::uint64_t k = 0; k < 3; ++k) {
    Arrivals a(s, {k, 3});
    EXPECT_EQ(a.remaining(), 1200U);
    for (; a.next() != never; a.pop()) offered.emplace(a.index(), a.next());
  }
  ASSERT_EQ(offered.size(), planned.size());
  for (const auto& [index, at] : planned) EXPECT_EQ(offered.at(index), at);
}

TEST_F(RecordingFiles, WithOneInstantLastAMillisecondAtLeast) {
  const Scenario s = with_recording("0\n");
  EXPECT_EQ(s.client.duration, 1ms);
  EXPECT_EQ(Arrivals(s).remaining(), 1U);
}

TEST_F(RecordingFiles, StandWhereTheFileStandsThatNamesThem) {
  directory_.write("arrivals.txt", "0\n1\n");
  const std::string file = directory_.write("s.toml", "[client]\nrecorded = 'arrivals.txt'\n");
  const Scenario s = scenario_from_file(file);
  EXPECT_EQ(s.client.duration, 2s);
  EXPECT_EQ(s.client.recorded.source, "arrivals.txt");
  const std::string text = scenario_to_toml(s);
  EXPECT_EQ(text.find("\nrate ="), std::string::npos) << text;
  EXPECT_EQ(text.find("\nduration ="), std::string::npos);
  const Scenario back = scenario_from_json({to_json(s), "test"});
  EXPECT_EQ(scenario_to_toml(back), text);
  EXPECT_EQ(back.client.duration, 2s) << "known without the file";
  EXPECT_FALSE(recordings_are_read(back));
  EXPECT_THROW(Arrivals{back}, InvalidInput) << "nothing is offered that was not read";
}

TEST_F(RecordingFiles, TakeThePlaceOfAnotherLoadAndItOfThem) {
  const std::string file = directory_.write("arrivals.txt", "0\n1\n");
  const auto error_of_toml = [](const std::string& text) -> std::string {
    Scenario s;
    try {
      read_scenario(s, text, "t.toml");
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  };
  for (const std::string other :
       {"rate = 5", "stages = ['5/s:1s']", "users = 3", "duration = '1s'"}) {
    EXPECT_THAT(error_of_toml(fmt::format("[client]\n{}\nrecorded = '{}'\n", other, file)),
                HasSubstr("stands in place of client."));
    Scenario s = with_recording("0\n1\n");
    const std::size_t equals = other.find(" =");
    const Field& field = *find_field("client." + other.substr(0, equals));
    const FieldValue value = field.name == "stages" ? FieldValue(std::vector<std::string>{"5/s:1s"})
                             : field.name == "duration" ? FieldValue(std::string("1s"))
                                                        : FieldValue(std::int64_t{3});
    set_field(s, field, value, "test", field.path());
    EXPECT_FALSE(s.client.recorded) << other;
  }
  EXPECT_THAT(error_of_toml("[service]\nwork = '5ms'\nrecorded_work = 'x'\n"),
              HasSubstr("service.work: stands in place of service.recorded_work"));
  Scenario s;
  s.client.stages = {{"", 5'000, 5'000, 1s}};
  set_field(s, *find_field("client.recorded"), file, "test", "client.recorded");
  EXPECT_TRUE(s.client.stages.empty());
}

TEST_F(RecordingFiles, AreRefusedBesideWhatContradictsThem) {
  const auto refused = [&](auto change) -> std::string {
    Scenario s = with_recording("0\n1\n");
    change(s);
    try {
      validate(s, "test");
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refused([](Scenario& s) { s.client.arrivals = ArrivalProcess::poisson; }),
              HasSubstr("client.arrivals: must be even"));
  EXPECT_THAT(refused([](Scenario& s) { s.simulation.first_arrival = FirstArrival::gap; }),
              HasSubstr("simulation.first_arrival"));
  EXPECT_THAT(refused([](Scenario& s) {
                s.service.recorded_work = {"x", nullptr};
                s.service.work_shape = WorkShape::exponential;
              }),
              HasSubstr("service.work_shape: must be fixed"));
  EXPECT_EQ(refused([](Scenario&) {}), "accepted");
}

TEST_F(RecordingFiles, GiveWorkAsOftenAsItWasSeenDrawnByTheSeed) {
  Scenario s;
  const Seed seed(7);
  s.seed = seed.value<std::int64_t>();
  s.service.recorded_work = {directory_.write("work.txt", "10ms 3\n50ms\n"), nullptr};
  Recordings().read_into(s);
  EXPECT_EQ(s.service.work, 20ms) << "the mean";
  EXPECT_TRUE(is_random(s));
  Work work(s), same(s);
  EXPECT_FALSE(work.constant());
  constexpr int draws = 40'000;
  int longer = 0;
  for (int i = 0; i < draws; ++i) {
    const Duration drawn = work.draw();
    ASSERT_EQ(drawn, same.draw());
    ASSERT_TRUE(drawn == 10ms || drawn == 50ms);
    if (drawn == 50ms) ++longer;
  }
  // A binomial's deviation is 87 here; six of them.
  EXPECT_NEAR(longer, draws / 4, 6 * 87);
}

TEST(RecordingSource, SaysBehindItsFileWhatIsToBeKnownOfIt) {
  std::string remedy;
  const RecordingSource plain = read_source("a:b/x.txt", remedy);
  EXPECT_EQ(plain.file, "a:b/x.txt");
  EXPECT_EQ(plain.unit, "s");
  const RecordingSource all = read_source("x.log:first:4:ms", remedy);
  EXPECT_EQ(all.file, "x.log");
  EXPECT_EQ(all.column, 4U);
  EXPECT_EQ(all.unit, "ms");
  EXPECT_TRUE(all.first);
  EXPECT_EQ(read_source("x:4:5", remedy).file, "x:4") << "a file has one column";
  EXPECT_EQ(within_folder("runs/a", "x.log:4"), "runs/a/x.log:4");
  EXPECT_EQ(within_folder("runs/a", "/x.log:4"), "/x.log:4");
  EXPECT_EQ(within_folder("", "x.log"), "x.log");
  for (const std::string bad : {"", ":4", "a\nb", "\xff", "a\xe2\x80\xae"}) {
    EXPECT_FALSE(source_in(FieldValue(bad))) << bad;
  }
  EXPECT_EQ(source_in(FieldValue(std::string("none"))), "");
}

}  // namespace
}  // namespace retrystorm
