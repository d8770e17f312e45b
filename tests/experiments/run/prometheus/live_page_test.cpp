#include "experiments/run/prometheus/live_page.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "core/scenario_toml.hpp"
#include "experiments/evidence/run_directory.hpp"
#include "tests/temporary_directory.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

class KilledRunsPage : public ::testing::Test {
 protected:
  KilledRunsPage() {
    LivePage page(root.path(), "small");
    page.begins({"first", 0}, std::chrono::seconds(1));
    page.ends();
    page.begins({"second", 0}, std::chrono::seconds(1));
  }
  boost::json::value run() const { return parse_json(read_file(root.file("run.json")), "run"); }

  TemporaryDirectory root;
};

TEST_F(KilledRunsPage, IsToldThatTheRunAndItsLastTryAreOver) {
  const auto before = run();
  EXPECT_TRUE(before.at("tries").at(1).at("to").is_null());
  end_page(root.path());
  EXPECT_EQ(run().at("done"), true);
  EXPECT_EQ(run().at("tries").at(0), before.at("tries").at(0));
  EXPECT_EQ(run().at("tries").at(1).at("to"), before.at("tries").at(1).at("sent_until"));
}

TEST_F(KilledRunsPage, ThatIsDamagedIsNamed) {
  for (const char* text : {"", "[]", "{}", R"({"done": false, "tries": [1]})"}) {
    write_whole(root.file("run.json"), text);
    EXPECT_THROW(end_page(root.path()), InvalidInput) << text;
    EXPECT_EQ(read_file(root.file("run.json")), text);
  }
}

TEST(LivePage, TellsWhatTheRunFoundOfEachTry) {
  const TemporaryDirectory root;
  TrustLimits limits;
  limits.send_lag_p99_ms = 3;
  LivePage page(root.path(), "small", limits);
  const auto run = [&] { return parse_json(read_file(page.run_file()), "run"); };
  page.judged(false, {"before anything began"});
  page.begins({"first", 0}, std::chrono::seconds(1));
  EXPECT_TRUE(run().at("tries").at(0).at("trusted").is_null());
  page.ends();
  page.judged(false, {"send lag 9 ms"});
  page.begins({"first", 1}, std::chrono::seconds(1));
  page.ends();
  page.judged(true, {});
  EXPECT_EQ(run().at("limits").at("send_lag_p99_ms").to_number<double>(), 3);
  EXPECT_EQ(run().at("tries").at(0).at("trusted"), false);
  EXPECT_EQ(run().at("tries").at(0).at("reasons").at(0), "send lag 9 ms");
  EXPECT_EQ(run().at("tries").at(1).at("trusted"), true);
  EXPECT_TRUE(run().at("tries").at(1).at("reasons").as_array().empty());
}

}  // namespace
}  // namespace retrystorm
