#include "experiments/report/fitted_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Labels of 10 columns and 40 beside them.
FittedColumns in(std::size_t width) {
  return fitted_columns(10, {{"one", 10, 0}, {"two", 10, 2}, {"", 5, 2}, {"three", 15, 1}}, width);
}

TEST(FittedColumns, AreAllShownWhereThereIsRoom) {
  EXPECT_THAT(in(50).shown, ElementsAre(true, true, true, true));
  EXPECT_EQ(in(50).note(50), "");
}

TEST(FittedColumns, LeaveInTheirOrderAndAreNamed) {
  EXPECT_THAT(in(49).shown, ElementsAre(true, true, true, false));
  EXPECT_EQ(in(49).note(49),
            "not shown  three: the lines have 49 columns;\n           COLUMNS=50 shows all\n");
  EXPECT_THAT(in(30).shown, ElementsAre(true, false, true, false));
  EXPECT_THAT(in(30).left_out, "two, three");
}

TEST(FittedColumns, ThatMustStayStayHoweverNarrowItIs) {
  EXPECT_THAT(in(1).shown, ElementsAre(true, false, false, false));
  EXPECT_THAT(in(1).left_out, HasSubstr("two, three"));
}

}  // namespace
}  // namespace retrystorm
