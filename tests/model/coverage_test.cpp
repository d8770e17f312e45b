// Every entry of the reference file is checked by somebody: by a test that asked for its family,
// or, for the finite runs, by the tests of the event simulation.
#include "tests/model/reference.hpp"

#include <algorithm>

#include <gmock/gmock.h>

namespace retrystorm::reference {
namespace {

TEST(ReferenceFile, HasEveryEntryInExactlyOneFamily) {
  ASSERT_EQ(all_entries().size(), 231U);
  for (const Entry& entry : all_entries()) {
    const auto families_of_it = std::count_if(families().begin(), families().end(),
                                              [&](const Family& f) { return belongs(entry, f); });
    EXPECT_EQ(families_of_it, 1) << entry.id;
  }
}

TEST(ReferenceFile, HasATestForEveryFamilyButTheSimulatedRuns) {
  for (const Family& family : families()) {
    const auto members = std::count_if(all_entries().begin(), all_entries().end(),
                                       [&](const Entry& e) { return belongs(e, family); });
    EXPECT_GT(members, 0) << family.prefix;
    const bool asked =
        std::find(asked_for().begin(), asked_for().end(), family.prefix) != asked_for().end();
    EXPECT_EQ(asked, !family.simulated) << family.prefix;
  }
}

}  // namespace
}  // namespace retrystorm::reference
