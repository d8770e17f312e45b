// The service's machine on virtual time.
#include "core/station.hpp"

#include "tests/core/fifo_recursion.hpp"
#include "tests/instants.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

struct Log {
  std::vector<Job> begun;
  std::vector<Job> done;
  void started(const Job& job) { begun.push_back(job); }
  void completed(const Job& job) { done.push_back(job); }
};

Scenario bench(std::int64_t workers, std::int64_t queue, Duration work = 20ms) {
  Scenario s;
  s.service.workers = workers;
  s.service.queue = queue;
  s.service.work = work;
  return s;
}

Station station_of(const Scenario& s) {
  return Station(s, Work(s));
}

TEST(Station, RejectsTheArrivalThatFindsNoPlaceAndNoOther) {
  Station station = station_of(bench(2, 3));
  Log log;
  for (std::uint64_t i = 0; i < 2; ++i)
    EXPECT_EQ(station.arrive(i, at(0ns), log).state, Admission::started);
  for (std::uint64_t i = 2; i < 5; ++i)
    EXPECT_EQ(station.arrive(i, at(0ns), log).state, Admission::queued);
  EXPECT_EQ(station.arrive(5, at(0ns), log).state, Admission::refused);
  station.advance(at(20ms), log);
  EXPECT_EQ(log.done.size(), 2U);
  EXPECT_EQ(station.arrive(6, at(20ms), log).state, Admission::queued);
  EXPECT_EQ(station.arrive(7, at(20ms), log).state, Admission::queued);
  EXPECT_EQ(station.arrive(8, at(20ms), log).state, Admission::refused);
  EXPECT_EQ(station.in_system(), 5U);
}

TEST(Station, WithNoQueueIsALossSystemOfItsWorkers) {
  Station station = station_of(bench(1, 0));
  Log log;
  EXPECT_EQ(station.arrive(1, at(0ns), log).state, Admission::started);
  EXPECT_EQ(station.arrive(2, at(19ms), log).state, Admission::refused);
  station.advance(at(20ms), log);
  EXPECT_EQ(station.arrive(3, at(20ms), log).state, Admission::started);
}

TEST(Station, ServesInOrderAndStartsTheNextWhenTheLastWasDueHoweverLateItIsToldSo) {
  Station station = station_of(bench(1, 10));
  Log log;
  for (std::uint64_t i = 0; i < 4; ++i) station.arrive(i, at(0ns), log);
  station.advance(at(27ms), log);  // 7 ms late
  ASSERT_EQ(log.done.size(), 1U);
  EXPECT_EQ(log.begun[1].started, at(20ms));
  EXPECT_EQ(log.begun[1].picked, at(27ms));
  EXPECT_EQ(station.next_due(), at(40ms)) << "lateness does not add up";
  for (const Instant late : {at(59ms), at(79ms), at(99ms)})
    station.advance(late, log);  // each up to 19 ms late
  ASSERT_EQ(log.done.size(), 4U);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(log.done[i].token, i);
  EXPECT_EQ(station.next_due(), never);
  EXPECT_EQ(log.done.back().due, at(80ms)) << "the ceiling is exact";
  EXPECT_EQ(station.carry_limited(), 0U);
}

TEST(Station, AfterALongStallCarriesAtMostOneWorkTimeOverAndCountsIt) {
  Station station = station_of(bench(1, 10));
  Log log;
  for (std::uint64_t i = 0; i < 5; ++i) station.arrive(i, at(0ns), log);
  station.advance(at(1s), log);
  // Due at 20 ms, noticed at 1 s. The next counts from 980 ms, so it is done at once; the one after
  // from 1 s.
  EXPECT_EQ(log.done.size(), 2U);
  EXPECT_EQ(log.begun.back().started, at(1s));
  EXPECT_EQ(station.next_due(), at(1020ms));
  EXPECT_EQ(station.carry_limited(), 1U);
}

TEST(Station, InSleepModeStartsTheNextWhenItReallyWokeSoLatenessAddsUp) {
  Scenario s = bench(1, 10);
  s.service.work_kind = WorkKind::sleep;
  Station station = station_of(s);
  Log log;
  for (std::uint64_t i = 0; i < 3; ++i) station.arrive(i, at(0ns), log);
  station.advance(at(21ms), log);
  EXPECT_EQ(station.next_due(), at(41ms));
  station.advance(at(42ms), log);
  EXPECT_EQ(station.next_due(), at(62ms));
}

TEST(Station, InSpinModeWaitsToBeToldWhenTheWorkIsDone) {
  Scenario s = bench(1, 1);
  s.service.work_kind = WorkKind::spin;
  Station station = station_of(s);
  Log log;
  station.arrive(1, at(0ns), log);
  EXPECT_EQ(station.arrive(2, at(0ns), log).state, Admission::queued);
  EXPECT_EQ(station.next_due(), never);
  ASSERT_EQ(log.begun.size(), 1U);
  station.finished(log.begun[0], at(33ms), log);
  ASSERT_EQ(log.done.size(), 1U);
  EXPECT_EQ(log.done[0].due, at(33ms));
  ASSERT_EQ(log.begun.size(), 2U);
  EXPECT_EQ(log.begun[1].started, at(33ms));
}

TEST(Station, WithVaryingWorkCompletesInTheOrderOfDueTimesNotOfArrival) {
  Scenario s = bench(3, 0);
  Station station(s, Work({30ms, 10ms, 20ms}, 20ms));
  Log log;
  for (std::uint64_t i = 0; i < 3; ++i) station.arrive(i, at(0ns), log);
  station.advance(at(1s), log);
  ASSERT_EQ(log.done.size(), 3U);
  EXPECT_EQ(log.done[0].token, 1U);
  EXPECT_EQ(log.done[1].token, 2U);
  EXPECT_EQ(log.done[2].token, 0U);
}

TEST(Station, AtOneInstantSettlesCompletionsBeforeTheArrivalSoNoRefusalIsInvented) {
  Station station = station_of(bench(1, 0));
  Log log;
  station.arrive(1, at(0ns), log);
  station.advance(at(20ms), log);
  EXPECT_EQ(station.arrive(2, at(20ms), log).state, Admission::started);
}

TEST(Station, CutOffNamesEveryUnfinishedArrivalOnceInOrderOfPlace) {
  for (const auto shape : {WorkShape::fixed, WorkShape::exponential}) {
    Scenario s = bench(2, 2);
    s.service.work_shape = shape;
    Station station = station_of(s);
    Log log;
    for (std::uint64_t i = 0; i < 4; ++i) station.arrive(i, at(0ns), log);
    std::set<std::uint64_t> open;
    station.for_each_unfinished(
        [&](std::uint64_t token) { EXPECT_TRUE(open.insert(token).second); });
    EXPECT_EQ(open, (std::set<std::uint64_t>{0, 1, 2, 3}));
  }
}

TEST(Station, KnowsSinceWhenTheOldestWaitsWhicheverIsServedNext) {
  for (const Discipline& discipline : {Discipline(Fifo{}), Discipline(Lifo{})}) {
    Scenario s = bench(1, 3);
    s.service.discipline = discipline;
    Station station = station_of(s);
    Log log;
    station.arrive(0, at(0ns), log);
    EXPECT_EQ(station.waiting_since(), never);
    for (std::uint64_t i = 1; i < 4; ++i) station.arrive(i, at(i * 1ms), log);
    EXPECT_EQ(station.waiting_since(), at(1ms));
    station.advance(at(20ms), log);
    EXPECT_EQ(station.waiting_since(), log.begun[1].token == 1 ? at(2ms) : at(1ms));
  }
}

TEST(Station, ToldLateOfEverythingStillKeepsItsCeilingAndItsRefusals) {
  // The same arrivals, advanced exactly and advanced only at arrivals (a driver with a late timer):
  // the same admissions, the same due times.
  const Scenario s = bench(20, 100);
  std::vector<Instant> arrivals;
  for (int i = 0; i < 3000; ++i) arrivals.push_back(at(Duration(833'333) * i));
  Station late = station_of(s);
  Log log;
  std::uint64_t refused = 0;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    late.advance(arrivals[i], log);
    refused += late.arrive(i, arrivals[i], log).state == Admission::refused;
  }
  late.advance(arrivals.back() + 19ms, log);
  late.advance(arrivals.back() + 38ms, log);
  for (int i = 3; i < 10; ++i) late.advance(arrivals.back() + 19ms * i, log);
  const FifoRun expected = fifo_recursion(arrivals, 20, 100, 20ms, 100ms);
  EXPECT_EQ(refused, expected.refused);
  EXPECT_EQ(log.done.size(), expected.admitted);
  std::uint64_t in_time = 0;
  for (const Job& job : log.done) in_time += job.due - job.arrived <= 100ms;
  EXPECT_EQ(in_time, expected.in_time);
}

}  // namespace
}  // namespace retrystorm
