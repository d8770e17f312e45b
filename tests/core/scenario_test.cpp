#include "core/scenario.hpp"

#include "core/classes.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/policy/backoffs.hpp"
#include "core/random.hpp"
#include "core/scenario_toml.hpp"
#include "core/tally.hpp"
#include "tests/alike_classes.hpp"
#include "tests/places.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

Scenario read(std::string_view text) {
  Scenario s;
  read_scenario(s, text, "test.toml");
  validate(s, "test.toml");
  return s;
}

std::string error_of(std::string_view text) {
  try {
    read(text);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

// A scenario in which every field differs from its default, found by trying values; but none of
// those that name a file and stand in place of others (recordings_test.cpp has them).
Scenario everything_changed() {
  Scenario s;
  for (const Field& field : fields()) {
    if (field.type == "file") continue;
    const FieldValue before = field.get(s);
    std::vector<FieldValue> tries = {FieldValue(std::int64_t{7}),
                                     FieldValue(0.625),
                                     FieldValue(std::string("3ms")),
                                     FieldValue(std::int64_t{500}),
                                     FieldValue(std::vector<std::string>{"failed_status"}),
                                     FieldValue(std::vector<std::string>{"502"}),
                                     FieldValue(std::vector<std::string>{"7/s:8s", "9/s:1s"})};
    tries.insert(tries.end(), field.words.begin(), field.words.end());
    for (const FieldValue& value : tries) {
      if (field.set(s, value).empty() && field.get(s) != before) break;
    }
    EXPECT_NE(field.get(s), before) << field.path();
  }
  return s;
}

TEST(Scenario, WrittenAsTomlReadsBackEqual) {
  for (const Scenario& s : {Scenario{}, everything_changed()}) {
    const std::string text = scenario_to_toml(s);
    Scenario back;
    read_scenario(back, text, "test.toml");
    for (const Field& field : fields()) EXPECT_EQ(field.get(back), field.get(s)) << field.path();
    EXPECT_EQ(scenario_to_toml(back), text);
  }
}

TEST(Scenario, WrittenAsJsonReadsBackEqual) {
  Scenario s = everything_changed();
  s.settle = 1ms;
  s.simulation.first_arrival = FirstArrival::zero;  // as users want it
  s.client.arrivals = ArrivalProcess::even;
  const Scenario back = scenario_from_json({to_json(s), "test"});
  EXPECT_EQ(scenario_to_toml(back), scenario_to_toml(s));
}

TEST(Stages, StandInPlaceOfRateAndDuration) {
  const Scenario s = read("[client]\nstages = ['200/s:5s', 'burst=800/s:3s']\n");
  EXPECT_EQ(s.client.duration, 8s);
  EXPECT_DOUBLE_EQ(s.client.rate, 3400.0 / 8);
  const std::string text = scenario_to_toml(s);
  EXPECT_EQ(text.find("\nrate ="), std::string::npos) << text;
  EXPECT_EQ(text.find("duration ="), std::string::npos);
  EXPECT_TRUE(read("[client]\nstages = []\nrate = 5\n").client.stages.empty());
}

TEST(Stages, ReadBackEqualFromTomlAndJson) {
  const Scenario s = read("[client]\nstages = ['0.5/s:5s', 'burst=800/s..7/s:3s']\n");
  EXPECT_EQ(scenario_to_toml(scenario_from_json({to_json(s), "test"})), scenario_to_toml(s));
  EXPECT_EQ(read(scenario_to_toml(s)).client.stages, s.client.stages);
}

TEST(Users, StandInPlaceOfARate) {
  const Scenario s = read("[client]\nusers = 60\nthink = '20ms'\n");
  EXPECT_EQ(scenario_to_toml(s).find("\nrate ="), std::string::npos);
  EXPECT_EQ(read(scenario_to_toml(s)).client.users, 60);
  EXPECT_EQ(scenario_to_toml(scenario_from_json({to_json(s), "test"})), scenario_to_toml(s));
  EXPECT_EQ(error_of("[client]\nrate = 5\nusers = 60\n"),
            "test.toml:3: client.users: stands in place of client.rate: give one of them");
  EXPECT_EQ(error_of("[client]\nstages = ['5/s:1s']\nusers = 60\n"),
            "test.toml:3: client.users: stands in place of client.stages: give one of them");
  EXPECT_EQ(read("[client]\nrate = 5\nusers = 'none'\nstages = []\n").client.rate, 5);
}

TEST(Users, ThatDoNotFitAreRefusedInOneLine) {
  EXPECT_EQ(error_of("[client]\nusers = 60\narrivals = 'poisson'\n"),
            "test.toml: client.arrivals: must be even with client.users, who come when they have "
            "thought");
  EXPECT_EQ(error_of("[client]\nusers = 60\nmax_in_flight = 59\n"),
            "test.toml: client.max_in_flight: must not be below client.users");
  EXPECT_NE(error_of("[client]\nusers = 60\n[network]\nround_trip = '0ms'\n")
                .find("network.round_trip: must be above 0"),
            std::string::npos);
  for (const char* budget : {"circuit-breaker", "adaptive-throttle"}) {
    const std::string text = fmt::format("[client]\nusers = 60\nbudget = '{}'\n", budget);
    EXPECT_NE(error_of(text).find("client.think: must be above 0 with a budget"), std::string::npos)
        << budget;
    EXPECT_EQ(read(text + "think = '1ms'\n").client.users, 60);
  }
  EXPECT_EQ(read("[client]\nusers = 60\nbudget = 'token-bucket'\n").client.users, 60);
}

TEST(Stages, BesideARateOrADurationInOneFileAreRefused) {
  EXPECT_EQ(error_of("[client]\nrate = 5\nstages = ['200/s:5s']\n"),
            "test.toml:3: client.stages: stands in place of client.rate: give one of them");
  EXPECT_EQ(error_of("[client]\nstages = ['200/s:5s']\nduration = '5s'\n"),
            "test.toml:2: client.stages: stands in place of client.duration: give one of them");
}

TEST(Stages, OfOneSourceReplaceTheRateOfAnotherAndAreReplacedByIt) {
  Scenario s;
  const auto set = [&](const char* path, const FieldValue& value) {
    set_field(s, *find_field(path), value, "test", path);
  };
  set("client.stages", std::vector<std::string>{"200/s:5s", "800/s:3s"});
  set("client.rate", std::int64_t{150});
  EXPECT_TRUE(s.client.stages.empty());
  EXPECT_EQ(s.client.duration, 8s) << "as long as the stages were";
  set("client.stages", std::vector<std::string>{"200/s:5s"});
  set("client.duration", std::string("2s"));
  EXPECT_TRUE(s.client.stages.empty());
  EXPECT_EQ(s.client.rate, 200);
}

TEST(Stages, ThatDoNotFitAreRefusedInOneLine) {
  EXPECT_NE(error_of("[client]\nstages = ['200/s']\n").find("client.stages: must be a rate"),
            std::string::npos);
  EXPECT_NE(error_of("[client]\nstages = ['a=1/s:1s', 'a=2/s:1s']\n").find("no two stages 'a'"),
            std::string::npos);
  EXPECT_NE(error_of("[client]\nstages = ['0/s:1s']\n").find("at least 0.001"), std::string::npos);
  EXPECT_NE(error_of("[client]\nstages = ['1/s:20h', '2/s:20h']\n").find("24h"), std::string::npos);
  EXPECT_NE(error_of("[client]\nstages = ['1/s:2s']\n[simulation]\nfirst_arrival = 'gap'\n")
                .find("simulation.first_arrival: must be zero with client.stages"),
            std::string::npos);
}

TEST(Classes, WrittenAsJsonReadBackEqual) {
  Scenario changed = everything_changed();
  changed.simulation.first_arrival = FirstArrival::zero;  // as users want it
  changed.client.arrivals = ArrivalProcess::even;
  Scenario s = in_classes(changed, {0.25, 3});
  s.settle = 1ms;
  s.service.queue = 7;
  s.classes[0].client.timeout = 77ms;
  s.classes[1].client = Scenario().client;
  for (const std::string_view shared : fields_of_all_classes) {
    const Field& field = *find_field(shared);
    Scenario one = scenario_of_class(s, 1);
    ASSERT_EQ(field.set(one, field.get(s)), "");
    s.classes[1].client = one.client;
  }
  const Scenario back = scenario_from_json({to_json(s), "test"});
  EXPECT_EQ(to_json(back), to_json(s));
  ASSERT_EQ(back.classes.size(), 2U);
  EXPECT_EQ(back.classes[1].share, 3);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(scenario_to_toml(scenario_of_class(back, c)),
              scenario_to_toml(scenario_of_class(s, c)));
  }
  EXPECT_FALSE(to_json(Scenario()).as_object().contains("class"));
}

TEST(Classes, ThatJsonLeavesOutAreAsClientSays) {
  const auto json = boost::json::parse(
      R"({"class": [{"share": 1}, {"share": 2, "retries": 5}], "client": {"timeout": "70ms"}})");
  const Scenario s = scenario_from_json({json, "test"});
  EXPECT_EQ(s.classes.at(0).client.timeout, 70ms);
  EXPECT_EQ(s.classes.at(1).client.timeout, 70ms);
  EXPECT_EQ(s.classes.at(1).client.retries, 5);
}

TEST(Classes, OfAFileOverrideWhatClientSays) {
  const Scenario s = read(
      "[[class]]\nshare = 0.25\nretries = 2\ntimeout = '50ms'\n[[class]]\nshare = 3\n"
      "[client]\nretries = 1\ntimeout = '80ms'\n");
  ASSERT_EQ(s.classes.size(), 2U);
  EXPECT_EQ(s.classes[0].share, 0.25);
  EXPECT_EQ(s.classes[0].client.retries, 2);
  EXPECT_EQ(s.classes[0].client.timeout, 50ms);
  EXPECT_EQ(s.classes[1].share, 3);
  EXPECT_EQ(s.classes[1].client.retries, 1);
  EXPECT_EQ(s.classes[1].client.timeout, 80ms);
}

TEST(Classes, FollowClientInWhatTheyDoNotSetThemselves) {
  Scenario s = read("[[class]]\nretries = 2\n[[class]]\n");
  set_field(s, *find_field("client.retries"), std::int64_t{5}, "test", "client.retries");
  set_field(s, *find_field("client.rate"), std::int64_t{7}, "test", "client.rate");
  EXPECT_EQ(s.classes[0].client.retries, 2);
  EXPECT_EQ(s.classes[1].client.retries, 5);
  validate(s, "the rate is the same for all");
  EXPECT_EQ(s.classes[0].client.rate, 7);
}

TEST(Classes, WrittenAsTomlReadBackEqual) {
  Scenario s = in_classes({}, {0.25, 3, 1});
  s.classes[0].client.timeout = 77ms;
  s.classes[2].client.retries = 4;
  const std::string text = scenario_to_toml(s);
  const Scenario back = read(text);
  EXPECT_EQ(scenario_to_toml(back), text);
  EXPECT_EQ(to_json(back), to_json(s));
}

TEST(Classes, OfAFileThatDoNotFitAreRefusedWithTheirLine) {
  EXPECT_EQ(error_of("[[class]]\nrate = 5\n[[class]]\n"),
            "test.toml:2: class[0].rate: is one for all classes: set it in [client]; got '5'");
  EXPECT_NE(error_of("[[class]]\n[[class]]\nretrys = 5\n").find("test.toml:3: client.retrys"),
            std::string::npos);
  EXPECT_NE(error_of("[[class]]\nretries = -1\n[[class]]\n").find("test.toml:2: class[0].retries"),
            std::string::npos);
  EXPECT_EQ(error_of("[[class]]\nshare = 'all'\n[[class]]\n"),
            "test.toml:2: class[0].share: must be a number");
  EXPECT_EQ(error_of("class = 3\n"), "test.toml:1: class: must be a list of tables: [[class]]");
  EXPECT_NE(error_of("[[class]]\n").find("two classes to 64"), std::string::npos);
}

TEST(Classes, ThatDoNotFitAreRefusedInOneLine) {
  const auto refusal = [](const Scenario& s) -> std::string {
    try {
      validate(s, "test");
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(in_classes({}, {1, 1})), "");
  EXPECT_EQ(refusal(in_classes({}, {1})),
            "test: class: must be two classes to 64: one alone is [client] itself; got 1");
  EXPECT_EQ(refusal(in_classes({}, {1, 0})),
            "test: class[1].share: must be above 0, at most 1e+06; got 0");
  Scenario s = in_classes({}, {1, 1});
  s.classes[1].client.rate = 7;
  EXPECT_EQ(refusal(s), "test: class[1].rate: is one for all classes, 1000; got 7");
  s = in_classes({}, {1, 1});
  s.service.queue.reset();
  EXPECT_EQ(refusal(s), "");
  s.classes[1].client.timeout = 1s;
  EXPECT_FALSE(useful_queue(s));
  EXPECT_NE(refusal(s).find("service.queue"), std::string::npos);
}

TEST(Classes, MakeARunRandomIfOneOfThemDraws) {
  Scenario s = in_classes({}, {1, 1});
  EXPECT_FALSE(is_random(s));
  s.classes[1].client.jitter = FullJitter();
  EXPECT_TRUE(is_random(s));
}

TEST(Scenario, GivenNothingIsThePublishedBench) {
  const Scenario s = read("");
  EXPECT_EQ(s.service.workers, 20);
  EXPECT_EQ(s.service.work, 20ms);
  EXPECT_EQ(queue_places(s), 100);
  EXPECT_EQ(s.client.timeout, 100ms);
  EXPECT_EQ(settled_from(s), instant_at(2s));
  EXPECT_EQ(ceiling(s), 1000);
}

TEST(UsefulQueue, IsWhatCanStillSucceed) {
  EXPECT_EQ(useful_queue(100ms, 200us, 20ms, 20), 79);
  EXPECT_EQ(useful_queue(100ms, 0ns, 20ms, 20), 80);
  EXPECT_EQ(useful_queue(10ms, 0ns, 20ms, 20), 0);
  EXPECT_EQ(useful_queue(1h, 0ns, 1us, 1'000'000), 3'599'999'999'000'000);
  Scenario s;
  s.service.queue.reset();
  EXPECT_EQ(queue_places(s), 69);
}

TEST(Toml, OfEveryKindIsTakenWhereItFits) {
  const Scenario s = read(R"(
    seed = 9
    [service]
    queue = "auto"
    work = "20.25ms"
    [client]
    rate = "1200/s"
    retry_on = ["rejected"]
  )");
  EXPECT_EQ(s.seed, 9);
  EXPECT_FALSE(s.service.queue);
  EXPECT_EQ(s.service.work, 20250us);
  EXPECT_EQ(s.client.rate, 1200);
  EXPECT_TRUE(s.client.retry_on.contains(AttemptOutcome::rejected));
  EXPECT_FALSE(s.client.retry_on.contains(AttemptOutcome::timed_out));
  EXPECT_EQ(read("[client]\nrate = 0.5").client.rate, 0.5);
}

TEST(BadInput, IsOneLineNamingFileLineFieldAndRemedy) {
  EXPECT_EQ(error_of("[service]\nworkers = 0"),
            "test.toml:2: service.workers: must be a whole number, from 1 to 1000000; got '0'");
  EXPECT_EQ(
      error_of("[service]\nwork = 20"),
      "test.toml:2: service.work: must be a duration with its unit such as 20ms or 1.5s, from 1us "
      "to 1h; got '20'");
  EXPECT_EQ(error_of("[client]\nretires = 2"),
            "test.toml:2: client.retires: no such field; did you mean client.retries?");
  EXPECT_EQ(error_of("rate = 5"), "test.toml:1: rate: no such field; did you mean client.rate?");
  EXPECT_EQ(error_of("[client]\nname = 2"),
            "test.toml:2: client.name: no such field; `retrystorm fields` lists them");
  EXPECT_EQ(error_of("service = 5"), "test.toml:1: service: must be a table: [service]");
}

TEST(BadInput, OfAnyKindIsRefusedInOneLineAndNothingElseHappens) {
  for (const char* text :
       {"[service]\nworkers = -1",
        "[service]\nworkers = 1.5",
        "[service]\nworkers = \"20\"",
        "[service]\nworkers = true",
        "[service]\nworkers = 99999999999",
        "[client]\nrate = 0",
        "[client]\nrate = nan",
        "[client]\nrate = inf",
        "[client]\nrate = -5",
        "[client]\nrate = \"fast\"",
        "[client]\nduration = \"0s\"",
        "[client]\ntimeout = \"0ms\"",
        "[client]\nretry_on = \"rejected\"",
        "[client]\nretry_on = [\"succeeded\"]",
        "[client]\nretry_on = [1]",
        "[service]\nqueue = \"none\"",
        "[service]\nwork_shape = \"gaussian\"",
        "[service]\nwork_cv = 0",
        "settle = \"6s\"",
        "[client]\nrate = { a = 1 }",
        "[client]\nrate = 1979-05-27",
        "[client",
        "a = ",
        "\xff\xfe = 1",
        "[client]\nrate = \"\\u0007\"",
        "[unknown]\nx = 1",
        "[client]\nrate = 1\nrate = 2",
        "[client]\nrate = 10000000\nduration = \"24h\"\n[service]\nqueue = -1"}) {
    const std::string error = error_of(text);
    EXPECT_TRUE(error.starts_with("test.toml")) << text << " -> " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(ScenarioFile, ThatCannotBeReadIsRefusedNotTakenForAnEmptyOne) {
  for (const std::string& path :
       {std::string("/nonexistent.toml"), source_path("docs"), std::string("/proc/self/mem")}) {
    EXPECT_THROW(read_file(path), InvalidInput) << path;
  }
}

TEST(Classes, MayHaveWorkOfTheirOwn) {
  const Scenario s = read("[[class]]\nwork = '5ms'\n[[class]]\nshare = 3\n");
  EXPECT_EQ(s.classes[0].work, 5ms);
  EXPECT_FALSE(s.classes[1].work);
  EXPECT_EQ(mean_work(s), (5ms + 3 * s.service.work) / 4);
  EXPECT_DOUBLE_EQ(ceiling(s), static_cast<double>(s.service.workers) / seconds(mean_work(s)));
  EXPECT_EQ(longest_mean_work(s), s.service.work);
  EXPECT_FALSE(useful_queue(s));
  const std::string text = scenario_to_toml(s);
  EXPECT_EQ(scenario_to_toml(read(text)), text);
  EXPECT_EQ(to_json(scenario_from_json({to_json(s), "test"})), to_json(s));
}

TEST(Classes, WithUnfitWorkAreRefusedInOneLine) {
  for (const char* work : {"5", "'5'", "'1ns'", "'1500ns'", "'2h'", "'0ms'", "true"}) {
    EXPECT_EQ(error_of(fmt::format("[[class]]\nwork = {}\n[[class]]\n", work)),
              "test.toml:2: class[0].work: must be a duration of whole microseconds such as 20ms, "
              "from 1us to 1h");
  }
  EXPECT_NE(error_of("[service]\nqueue = 'auto'\n[[class]]\nwork = '5ms'\n[[class]]\n")
                .find("service.queue: must be a number of places"),
            std::string::npos);
  EXPECT_EQ(error_of("[service]\nrecorded_work = 'x'\n[[class]]\n[[class]]\nwork = '5ms'\n"),
            "test.toml: class[1].work: must not stand beside service.recorded_work");
}

TEST(ReferencePage, InTheDocsIsWhatTheRegistrySays) {
  EXPECT_EQ(read_file(source_path("docs/fields.md")), fields_markdown())
      << "write it anew: retrystorm fields > docs/fields.md";
}

TEST(Fields, HaveDistinctFlagsAndHelp) {
  std::set<std::string> flags;
  for (const Field& field : fields()) {
    EXPECT_TRUE(flags.insert(field.flag()).second) << field.flag();
    EXPECT_FALSE(field.help.empty());
    EXPECT_FALSE(field.range.empty());
    EXPECT_NE(field.engines, 0U);
    EXPECT_EQ(find_field(field.path()), &field);
  }
  EXPECT_EQ(find_field("client.round_trip"), nullptr);
}

TEST(Flags, TakeTheTextTheyPrintForEveryField) {
  const Scenario changed = everything_changed();
  for (const Scenario& s : {Scenario{}, changed}) {
    for (const Field& field : fields()) {
      Scenario back;
      set_field(back, field, value_from_text(field, to_text(field.get(s))), "command line",
                field.flag());
      EXPECT_EQ(field.get(back), field.get(s)) << field.path();
    }
  }
}

}  // namespace
}  // namespace retrystorm
