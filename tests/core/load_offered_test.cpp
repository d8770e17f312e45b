#include "core/load_offered.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::uint64_t& under(ByReason<std::uint64_t>& by_reason, Reason reason) {
  return by_reason[static_cast<std::size_t>(reason)];
}

LoadOffered load_of(std::uint64_t requests) {
  LoadOffered load;
  load.offered = load.sent = requests;
  load.lag_p50_ms = load.lag_p99_ms = load.lag_max_ms = 0.1;
  return load;
}

TEST(LoadOffered, IsWhatWasAskedForIfAllOfItWasSentInTime) {
  EXPECT_THAT(broken_load_limits(load_of(1000), {}), IsEmpty());
}

// A percentile of a few hangs on a single one.
TEST(LoadOffered, MayBeLateInAHundredthAndInOneMore) {
  for (const std::uint64_t sent : {1U, 45U, 99U, 100U, 250U, 4800U}) {
    LoadOffered load = load_of(sent);
    load.lag_p99_ms = 3;
    load.late = sent / 100 + 1;
    EXPECT_THAT(broken_load_limits(load, {}), IsEmpty()) << sent;
    ++load.late;
    EXPECT_THAT(broken_load_limits(load, {}), ElementsAre("send lag p99 3 ms is above 1 ms"))
        << sent;
  }
}

TEST(LoadOffered, NamesWhatTheGeneratorWasShortOf) {
  LoadOffered load = load_of(1000);
  load.sent = 990;
  under(load.unsent, Reason::descriptors) = 6;
  under(load.unsent, Reason::ports) = 1;
  under(load.unsent, Reason::in_flight_limit) = 3;
  under(load.gave_up, Reason::memory) = 2;
  under(load.gave_up, Reason::attempts_used_up) = 40;
  EXPECT_EQ(kept_back(load), 3U);
  EXPECT_EQ(unsent_for_shortage(load), 7U);
  EXPECT_EQ(retries_denied(load), 2U);
  EXPECT_THAT(broken_load_limits(load, {}),
              ElementsAre("7 of 1000 requests were unsent for a shortage: 1 ports, 6 descriptors",
                          "2 retries were denied for a shortage: 2 memory"));
}

TEST(LoadOffered, SaysOfWhatTheMachinesCapIs) {
  LoadOffered load = load_of(100);
  load.sent = 32;
  under(load.unsent, Reason::in_flight_cap) = 68;
  EXPECT_THAT(broken_load_limits(load, {}),
              ElementsAre("68 of 100 requests were unsent for a shortage: 68 in_flight_cap (by the "
                          "descriptors or ports there are)"));
}

TEST(LoadOffered, OfALedgerWithoutReasonsWasShortOfSomething) {
  LoadOffered load = load_of(10);
  load.sent = 9;
  under(load.unsent, Reason::none) = 1;
  EXPECT_THAT(broken_load_limits(load, {}),
              ElementsAre("1 of 10 requests were unsent for a shortage: 1 without a reason"));
}

TEST(LoadOffered, WithoutAFirstAttemptHasNoLagThatKeptALimit) {
  LoadOffered load;
  load.offered = 5;
  under(load.unsent, Reason::in_flight_limit) = 5;
  EXPECT_THAT(broken_load_limits(load, {}),
              ElementsAre("no first attempt was made, so nothing tells the send lag"));
}

TEST(LoadOffered, OfWhichSomeAreNotAccountedForIsNotWhatWasAskedFor) {
  LoadOffered load = load_of(100);
  load.sent = 99;
  EXPECT_THAT(broken_load_limits(load, {}), IsEmpty()) << "off by exactly the limit";
  load.sent = 98;
  EXPECT_THAT(broken_load_limits(load, {}), ElementsAre("sent 98 of 100 requests"));
}

}  // namespace
}  // namespace retrystorm
