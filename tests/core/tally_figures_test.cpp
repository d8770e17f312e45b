#include "core/tally_figures.hpp"

#include "core/files.hpp"
#include "tests/places.hpp"

#include <regex>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

namespace json = boost::json;

void add_paths(const json::value& value, const std::string& path, std::vector<std::string>& paths) {
  if (!value.is_object()) {
    paths.push_back(path);
    return;
  }
  for (const auto& [key, inner] : value.get_object()) {
    add_paths(inner, path.empty() ? std::string(key) : fmt::format("{}.{}", path, key), paths);
  }
}

TEST(TallyFigures, AreTheNumbersOfItsJsonInTheirOrder) {
  std::vector<std::string> written;
  add_paths(to_json(Tally{}), "", written);
  // Where the settled window stands is no figure of it.
  std::erase_if(written, [](const std::string& path) {
    return path == "settled.from_s" || path == "settled.to_s";
  });
  std::vector<std::string> listed = {"engine"};
  for (const TallyFigure& figure : tally_figures) listed.emplace_back(figure.path());
  EXPECT_EQ(listed, written);
}

TEST(TallyFigures, AreNamedInTheDescriptionOfTheirJson) {
  const std::string page = read_file(source_path("docs/semantics.md"));
  const std::size_t from = page.find("\nTally: `{");
  ASSERT_NE(from, page.npos);
  const std::string shape = page.substr(from, page.find("\n\n", from) - from);
  for (const TallyFigure& figure : tally_figures) {
    const std::string name(figure.name.substr(figure.name.rfind('.') + 1));
    EXPECT_TRUE(std::regex_search(shape, std::regex("[{\\s]" + name + "[,}]"))) << figure.path();
  }
}

TEST(TallyFigures, ReadTheMemberOfTheirPath) {
  Tally t;
  t.counts.unfinished_attempts = 1;
  t.whole.goodput_per_s = 2;
  t.settled.goodput_per_s = 3;
  t.all.max = 4;
  EXPECT_EQ(figure_of("counts.unfinished.attempts").in(t), 1);
  EXPECT_EQ(figure_of("whole.goodput_per_s").in(t), 2);
  EXPECT_EQ(figure_of("settled.goodput_per_s").in(t), 3);
  EXPECT_EQ(figure_of("latency_ms.all.max").in(t), 4);
  EXPECT_EQ(figure_of("latency_ms.attempt.max").in(t), std::nullopt);
  figure_of("latency_ms.attempt.max").in(t) = 5;
  EXPECT_EQ(t.attempt.max, 5);
}

TEST(TallyFigures, OfAnUnknownPathAreNone) {
  EXPECT_EQ(find_figure("counts.unfinished"), nullptr);
  EXPECT_EQ(find_figure(""), nullptr);
  EXPECT_THROW(figure_of("settled.seldom"), std::logic_error);
}

TEST(TallyFigures, SpreadWhereRepeatsAreCountedButNotLatencies) {
  Tally one;
  for (const TallyFigure& figure : tally_figures) figure.in(one) = 1;
  const auto spread = spread_of(std::vector<Tally>{one, one});
  for (const TallyFigure& figure : tally_figures) {
    EXPECT_EQ(spread.count(std::string(figure.path())),
              figure.kind == FigureKind::milliseconds ? 0U : 1U)
        << figure.path();
  }
}

}  // namespace
}  // namespace retrystorm
