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

}  // namespace
}  // namespace retrystorm
