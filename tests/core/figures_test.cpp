#include "core/figures.hpp"

#include <string>

#include <gtest/gtest.h>

namespace retrystorm {
namespace {

// A part of a tally that is not ours, with something behind its figures that is none.
struct Hedges {
  Count sent, won;
  std::string why_none;
};
using Row = FigureRow<Hedges>;

constexpr Row whole = {"sent",        &Hedges::sent,    "hedges sent", FigureKind::count,
                       Better::lower, Compared::nowhere};

Row without(void (*take)(Row&)) {
  Row row = whole;
  take(row);
  return row;
}

TEST(FigureRow, ThatIsNotWholeSaysWhatItLacks) {
  EXPECT_EQ(missing_in(whole), "");
  EXPECT_EQ(missing_in(without([](Row& r) { r.name = {}; })), "name");
  EXPECT_EQ(missing_in(without([](Row& r) { r.member = nullptr; })), "member");
  EXPECT_EQ(missing_in(without([](Row& r) { r.heading = {}; })), "heading");
  EXPECT_EQ(missing_in(without([](Row& r) { r.kind = {}; })), "kind");
  EXPECT_EQ(missing_in(without([](Row& r) { r.better = {}; })), "better side");
  EXPECT_EQ(missing_in(without([](Row& r) { r.compared = {}; })), "part of a comparison");
  EXPECT_EQ(missing_in(Row{"sent", &Hedges::sent, "hedges sent", FigureKind::count}),
            "better side");
}

TEST(FigureRow, OfARateOrAShareSaysWhatItIsPer) {
  EXPECT_EQ(missing_in(without([](Row& r) { r.kind = FigureKind::rate; })), "what it is per");
  EXPECT_EQ(missing_in(without([](Row& r) { r.kind = FigureKind::share; })), "what it is per");
  EXPECT_EQ(missing_in(without([](Row& r) { r.per = Per::second; })), "what it is per");
  EXPECT_EQ(missing_in(without([](Row& r) {
              r.kind = FigureKind::share;
              r.per = Per::completion;
            })),
            "");
}

template <typename Part>
void expect_whole_rows() {
  for (const auto& row : FiguresOf<Part>::rows) EXPECT_EQ(missing_in(row), "") << row.name;
}

TEST(FigureRow, OfEveryFigureIsWhole) {
  expect_whole_rows<Counts>();
  expect_whole_rows<Rates>();
  expect_whole_rows<Quantiles>();
}

TEST(FigureRows, AreOneForEachCountOfTheirPart) {
  constexpr Row other = {"won",         &Hedges::won,     "hedges that won", FigureKind::count,
                         Better::lower, Compared::nowhere};
  EXPECT_TRUE(rows_are_its_members(std::array{whole, other}));
  EXPECT_FALSE(rows_are_its_members(std::array{whole})) << "a member without a row";
  EXPECT_FALSE(rows_are_its_members(std::array{whole, whole})) << "a member with two rows";
  Row same_name = other;
  same_name.name = whole.name;
  EXPECT_FALSE(rows_are_its_members(std::array{whole, same_name})) << "two of one name";
}

}  // namespace
}  // namespace retrystorm
