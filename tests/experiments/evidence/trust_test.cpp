#include "experiments/evidence/trust.hpp"

#include "core/policy/arrivals.hpp"
#include "experiments/evidence/process_end.hpp"
#include "experiments/evidence/try.hpp"
#include "tests/experiments/evidence/hand_made_ledger.hpp"
#include "tests/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// All that happens to an arrival, that much later.
void move(ArrivalRecord& r, std::int64_t by) {
  for (std::int64_t* t : {&r.arrived, &r.picked, &r.started, &r.due, &r.finished, &r.replied}) {
    *t += by;
  }
}
void finish_later(ArrivalRecord& r, std::int64_t by) {
  r.finished += by;
  r.replied += by;
}

// 100 requests in a second, each served at once in 20 ms: a run that can be trusted, to be
// spoiled in one way each.
class Trust : public testing::Test {
 protected:
  Trust() {
    scenario_.client.rate = 100;
    scenario_.client.duration = 1s;
    serve_all();
  }

  // Every request of the scenario, in time.
  void serve_all() {
    ledger_ = {};
    Arrivals schedule(scenario_);
    for (; schedule.next() != never; schedule.pop()) {
      const std::int64_t at = nanoseconds_of(schedule.next());
      ledger_.served(schedule.index(), at, 20 * ms);
      ledger_.attempts.back().sent += 50 * us;
      move(ledger_.arrivals.back(), 100 * us);
      ledger_.attempts.back().ended += 200 * us;
      ledger_.requests.back().finished += 200 * us;
    }
  }

  Try judged() {
    TryNote note;
    note.key = key_;
    note.token = HandMadeLedger::token;
    note.status = status_;
    note.scenario = scenario_;
    note.limits = limits_;
    note.service_said = service_said_;
    note.generator_said = generator_said_;
    note.service = service_;
    note.generator = generator_;
    ledger_.write(directory_.path());
    note.imported = import_ledgers(database_, key_, note.token, scenario_, directory_.path());
    return judge(database_, note);
  }
  std::vector<std::string> reasons() { return judged().reasons; }

  Scenario scenario_;
  TrustLimits limits_;
  TryStatus status_ = TryStatus::done;
  boost::json::object service_said_{{"ledger_lost", 0}};
  boost::json::object generator_said_{{"ledger_lost", 0}};
  std::optional<ProcessEnd> service_ = ProcessEnd{0, 0, 0.1, 0.1, 1.1};
  std::optional<ProcessEnd> generator_ = ProcessEnd{0, 0, 0.1, 0.1, 1.1};
  TemporaryDirectory directory_;
  Database database_ = open_ledger(directory_.file("run.sqlite"));
  TryKey key_{"arm", 0};
  HandMadeLedger ledger_;
};

TEST_F(Trust, IsGivenToAnUndisturbedRun) {
  const Try t = judged();
  EXPECT_THAT(t.reasons, IsEmpty());
  EXPECT_TRUE(t.trusted);
  EXPECT_EQ(t.trust.send_lag_p99_ms, 0.05);
  EXPECT_EQ(t.trust.effective_work_ms, 20);
  EXPECT_EQ(t.trust.service_lateness_max_ms, 0);
  EXPECT_EQ(t.trust.read_lateness_max_ms, 0.05);
  EXPECT_EQ(t.trust.schedule_errors, 0);
  EXPECT_EQ(t.trust.round_trip_ms, 0.15);  // 50 us to the service, 100 us back
  EXPECT_NEAR(*t.trust.arrived_per_s, 100, 1e-6);
  EXPECT_LT(*t.trust.arrival_gap_cv, 1e-6);
}

// Every second request kept back by the client's own policy: half the rate, and gaps twice as long.
TEST_F(Trust, IsNotLostToWhatAPolicyKeptBack) {
  for (const bool policy : {true, false}) {
    HandMadeLedger thinned;
    for (std::size_t i = 0; i < ledger_.requests.size(); ++i) {
      thinned.requests.push_back(ledger_.requests[i]);
      if (i % 2 == 1 && i > 10) {
        thinned.requests.back().outcome = RequestOutcome::unsent;
        thinned.requests.back().reason = policy ? Reason::in_flight_limit : Reason::ports;
        continue;
      }
      thinned.attempts.push_back(ledger_.attempts[i]);
      thinned.arrivals.push_back(ledger_.arrivals[i]);
    }
    std::swap(ledger_, thinned);
    key_.try_number = policy ? 0 : 1;
    const Try t = judged();
    EXPECT_EQ(t.trusted, policy);
    EXPECT_EQ(t.trust.arrival_gap_cv.has_value(), !policy);
    std::swap(ledger_, thinned);
  }
}

TEST_F(Trust, IsWrittenIntoTheArmsTable) {
  ledger_.arrival(0, 0, Disposition::completed).token = 0;
  judged();
  Statement row(database_, "SELECT trusted, json_array_length(reasons) AS reasons FROM arms");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row["trusted"].integer(), 0);
  EXPECT_EQ(row["reasons"].integer(), 1);
}

// A hundredth may be late, and one more: 2 of 100 are no evidence of a percentile.
TEST_F(Trust, IsNotLostToTwoLateOfAHundred) {
  for (std::size_t i = 0; i < 2; ++i) ledger_.attempts[i].sent += 1 * ms;
  EXPECT_THAT(reasons(), IsEmpty());
}

TEST_F(Trust, IsLostToALateGenerator) {
  for (std::size_t i = 0; i < 3; ++i) ledger_.attempts[i].sent += 1 * ms;
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("send lag p99 1.05 ms is above 1 ms")));
}

TEST_F(Trust, BearsALimitThatWasSet) {
  for (std::size_t i = 0; i < 3; ++i) ledger_.attempts[i].sent += 1 * ms;
  limits_.send_lag_p99_ms = 2;
  EXPECT_THAT(reasons(), IsEmpty());
}

TEST_F(Trust, IsLostToOneLongStall) {
  AttemptRecord& attempt = ledger_.attempts[50];
  attempt.sent += 21 * ms;
  attempt.ended += 21 * ms;
  ledger_.requests[50].finished += 21 * ms;
  move(ledger_.arrivals[50], 21 * ms);
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("send lag max")));
}

TEST_F(Trust, IsLostToARequestOfferedAtAnotherInstant) {
  ledger_.requests[50].scheduled += 1;
  EXPECT_THAT(reasons(), ElementsAre("1 requests were not offered as scheduled"));
}

TEST_F(Trust, IsLostToARequestNeverOffered) {
  ledger_.requests.pop_back();
  ledger_.attempts.pop_back();
  ledger_.arrivals.pop_back();
  EXPECT_THAT(reasons(), ElementsAre("1 requests were not offered as scheduled"));
}

TEST_F(Trust, ChecksAPoissonScheduleDrawByDraw) {
  scenario_.client.arrivals = ArrivalProcess::poisson;
  EXPECT_THAT(reasons(), Contains(HasSubstr("not offered as scheduled")));
}

TEST_F(Trust, IsLostToWorkThatTookLonger) {
  for (ArrivalRecord& r : ledger_.arrivals) finish_later(r, 201 * us);
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("effective work 20.2 ms is 1.01 % off the 20 ms")));
}

TEST_F(Trust, ComparesDrawnWorkWithItsOwnDraws) {
  scenario_.service.work_shape = WorkShape::exponential;
  for (ArrivalRecord& r : ledger_.arrivals) r.due = r.started + 40 * ms;
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("off the 40 ms drawn")));
}

TEST_F(Trust, IsLostWhenCarriedLatenessReachedItsBound) {
  ArrivalRecord& late = ledger_.arrivals[3];
  late.arrived = late.started = late.picked - 20 * ms;
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("reached one work time at 1 starts")));
}

TEST_F(Trust, IsLostToAnotherRateAtTheService) {
  // The last tenth of the arrivals is spread out: the whole comes over more time.
  for (std::size_t i = 90; i < 100; ++i) {
    move(ledger_.arrivals[i], static_cast<std::int64_t>(i - 89) * 1900 * us);
  }
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("first attempts arrived at")));
}

TEST_F(Trust, IsLostToEvenRequestsThatArriveInBursts) {
  for (std::size_t i = 0; i < 99; ++i) {
    ledger_.arrivals[i].arrived = ledger_.arrivals[i / 3 * 3].arrived + static_cast<int>(i % 3);
  }
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("gap coefficient of variation")));
}

TEST_F(Trust, IsLostToAServiceThatFinishedOneLate) {
  limits_.work_error = 0.1;  // the mean bears it
  finish_later(ledger_.arrivals[50], 19 * ms);
  EXPECT_THAT(reasons(), IsEmpty());
  key_.try_number = 1;
  finish_later(ledger_.arrivals[50], 2 * ms);
  EXPECT_THAT(reasons(), ElementsAre("the service's lateness in finishing 21 ms is above 20 ms"));
  key_.try_number = 2;
  limits_.service_lateness_max_ms = 21;
  EXPECT_THAT(reasons(), IsEmpty());
}

// Stopped while nothing is in work, it finishes nothing late.
TEST_F(Trust, IsLostToAServiceThatReadOneLate) {
  move(ledger_.arrivals[50], 22 * ms);
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("lateness in reading 22.")));
}

// Of request i only its record stays, as unsent for that reason.
void keep_back(HandMadeLedger& ledger, std::size_t i, Reason reason) {
  ledger.requests[i].outcome = RequestOutcome::unsent;
  ledger.requests[i].reason = reason;
  std::erase_if(ledger.attempts, [&](const AttemptRecord& r) { return r.request == i; });
  std::erase_if(ledger.arrivals, [&](const ArrivalRecord& r) { return r.request == i; });
}

TEST_F(Trust, IsLostToASingleRequestUnsentForAShortage) {
  keep_back(ledger_, 50, Reason::ports);
  EXPECT_THAT(reasons(), Contains("1 of 100 requests were unsent for a shortage: 1 ports"));
}

TEST_F(Trust, IsLostWhereNothingArrivedThoughNoFigureIsAboveItsLimit) {
  for (std::size_t i = 0; i < 100; ++i) keep_back(ledger_, i, Reason::descriptors);
  const Try t = judged();
  EXPECT_FALSE(t.trusted);
  EXPECT_EQ(t.trust.unsent_for_shortage, 100);
  EXPECT_FALSE(t.trust.send_lag_p99_ms || t.trust.effective_work_ms || t.trust.arrived_per_s);
  EXPECT_THAT(t.reasons,
              Contains("100 of 100 requests were unsent for a shortage: 100 descriptors"));
  EXPECT_THAT(t.reasons, Contains(HasSubstr("nothing tells the send lag")));
  EXPECT_THAT(t.reasons, Contains(HasSubstr("within no limit: effective work")));
}

TEST_F(Trust, IsLostToARetryThatAShortageDenied) {
  for (const Reason reason : {Reason::descriptors, Reason::in_flight_limit}) {
    ledger_.requests[5].outcome = RequestOutcome::gave_up;
    ledger_.requests[5].reason = reason;
    ledger_.attempts[5].outcome = AttemptOutcome::rejected;
    ledger_.attempts[5].status = 503;
    ArrivalRecord& arrival = ledger_.arrivals[5];
    arrival.disposition = Disposition::refused;
    arrival.reason = Reason::queue_full;
    arrival.picked = arrival.started = arrival.due = arrival.finished = 0;
    const Try t = judged();
    const bool shortage = reason == Reason::descriptors;
    EXPECT_EQ(t.trusted, !shortage) << "a policy of the client's own is part of the load";
    EXPECT_EQ(t.trust.retries_denied, shortage ? 1 : 0);
    if (shortage) {
      EXPECT_THAT(t.reasons, ElementsAre("1 retry was denied for a shortage: 1 descriptors"));
    }
    ++key_.try_number;
  }
}

TEST_F(Trust, IsLostToAFigureThatIsMissing) {
  service_.reset();
  EXPECT_THAT(reasons(),
              ElementsAre("not known, and so within no limit: the service's share of a core"));
  key_.try_number = 1;
  generator_said_.clear();
  EXPECT_THAT(reasons(), ElementsAre("not known, and so within no limit: the service's share of a "
                                     "core, the count of lost ledger records"));
}

TEST_F(Trust, IsLostToWhatTheGeneratorSaysOfItself) {
  generator_said_["reasons"] = boost::json::array{"send lag max 30 ms is above 20 ms"};
  EXPECT_THAT(reasons(), IsEmpty()) << "of an earlier version: not judged by the run's limits";
  key_.try_number = 1;
  generator_said_["limits"] = to_json(limits_);
  EXPECT_THAT(reasons(),
              ElementsAre("the generator says of itself: send lag max 30 ms is above 20 ms"));
  key_.try_number = 2;
  generator_said_["failure"] = "out of memory";
  EXPECT_THAT(reasons(), ElementsAre("the generator: out of memory"));
}

TEST(TrustLimit, OfWorkIsKeptWhereAllThatArrivedFailedOnPurpose) {
  TrustFigures figures;
  visit_figures(figures, [](std::string_view, Count& figure) { figure = 0; });
  figures.work_drawn_ms = 20;
  figures.scheduled_per_s = figures.arrived_per_s = 300;
  figures.effective_work_ms.reset();
  figures.service_lateness_max_ms.reset();
  Scenario s;
  EXPECT_EQ(broken_limits(figures, {}, s).size(), 1U) << "not known";
  s.service.fail_rate = 1;
  EXPECT_THAT(broken_limits(figures, {}, s), IsEmpty());
}

// The same in a ratio of doubles: 20 (1 + n / 100) is off by more than n per cent for some n.
TEST(TrustLimit, OfAShareIsKeptByWhatIsOffByExactlyThat) {
  for (int n = 1; n <= 100; ++n) {
    TrustFigures figures;
    visit_figures(figures, [](std::string_view, Count& figure) { figure = 0; });
    figures.work_drawn_ms = 20;
    figures.effective_work_ms = (2000 + 20 * n) / 100.0;
    figures.scheduled_per_s = 300;
    figures.arrived_per_s = 300 - 3 * n;
    figures.service_cpu_share = n / 100.0;
    TrustLimits limits;
    limits.work_error = limits.rate_error = limits.cpu_share = n / 100.0;
    EXPECT_THAT(broken_limits(figures, limits, Scenario{}), IsEmpty()) << n;
    limits.work_error = limits.rate_error = limits.cpu_share = n / 100.0 - 1e-6;
    EXPECT_EQ(broken_limits(figures, limits, Scenario{}).size(), 3U) << n;
  }
}

// Trust of a load in stages: 100, 400 and 200 requests.
class TrustInStages : public Trust {
 protected:
  TrustInStages() {
    scenario_.client.stages = {
        {"", 100'000, 100'000, 1s}, {"burst", 400'000, 400'000, 1s}, {"", 100'000, 300'000, 1s}};
    scenario_.client.rate = mean_rate(scenario_.client.stages);
    scenario_.client.duration = 3s;
    serve_all();
  }
};

TEST_F(TrustInStages, IsGivenToALoadThatIsKeptHoweverItChanges) {
  const Try t = judged();
  EXPECT_THAT(t.reasons, IsEmpty());
  ASSERT_EQ(t.trust.stages.size(), 3U);
  EXPECT_EQ(t.trust.stages[1].stage, "burst=400/s:1s");
  EXPECT_NEAR(*t.trust.stages[1].arrived_per_s, 400, 0.1);
  for (const StageTrust& stage : t.trust.stages) {
    EXPECT_NEAR(*stage.arrival_gap_cv, 0, 1e-3) << "gaps of one request in " << stage.stage;
  }
}

TEST_F(TrustInStages, IsLostToUnevenPacingInOneOfThem) {
  for (std::size_t i = 500; i < 698; ++i) {
    ledger_.arrivals[i].arrived =
        ledger_.arrivals[500 + (i - 500) / 4 * 4].arrived + static_cast<int>(i % 4);
  }
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("in stage 100/s..300/s:1s even pacing")));
}

TEST_F(TrustInStages, BearsTheLagThatIsAllowedAtTheEndsOfAShortOne) {
  const auto spread_burst = [&](std::int64_t by) {
    for (std::size_t i = 100; i < 500; ++i) {
      move(ledger_.arrivals[i], static_cast<std::int64_t>(i - 100) * by / 400);
    }
  };
  spread_burst(15 * ms);
  EXPECT_THAT(reasons(), IsEmpty()) << "15 ms in a second is more than 1 %";
}

TEST_F(TrustInStages, IsLostToAnotherRateInOneOfThem) {
  limits_.service_lateness_max_ms = 100;
  for (std::size_t i = 100; i < 500; ++i) {
    move(ledger_.arrivals[i], static_cast<std::int64_t>(i - 100) * 60 * ms / 400);
  }
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("first attempts of stage burst=400/s:1s arrived")));
}

TEST_F(Trust, IsLostToAStranger) {
  ledger_.arrival(0, 0, Disposition::refused).token = 0;
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("without an id of this run: 1")));
}

TEST_F(Trust, IsLostToAnAttemptThatTheServiceNeverSaw) {
  ledger_.arrivals.pop_back();
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("never saw: 1")));
}

TEST_F(Trust, IsLostToABrokenIdentity) {
  ledger_.requests[0].outcome = RequestOutcome::gave_up;  // though its attempt succeeded
  EXPECT_THAT(reasons(), Contains(HasSubstr("broken identity: attempts = ")));
}

TEST_F(Trust, IsLostWhenAProcessCountedOtherwise) {
  service_said_ = {{"completed", 100}, {"refused", 0}, {"ledger_lost", 0}};
  generator_said_ = {
      {"tally", {{"counts", {{"attempts", 101}, {"unfinished", {{"attempts", 0}}}}}}},
      {"ledger_lost", 0}};
  EXPECT_THAT(reasons(), ElementsAre("attempts: the generator counted 101, the ledger 100"));
}

TEST_F(Trust, IsLostToABusyProcess) {
  service_ = ProcessEnd{0, 0, 0.8, 0.15, 1.1};
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("the service's share of a core 0.9")));
}

TEST_F(Trust, IsLostToLedgerRecordsThatCouldNotBeWritten) {
  service_said_ = {{"ledger_lost", 2}};
  EXPECT_THAT(reasons(), ElementsAre("2 ledger records could not be written"));
}

TEST_F(Trust, NamesTheFullDiskThatLostLedgerRecords) {
  service_said_ = {{"ledger_lost", 2},
                   {"ledger_error", "arrivals-0.bin: the disk is full (No space left on device)"}};
  EXPECT_THAT(reasons(),
              Contains("the service lost 2 ledger records: arrivals-0.bin: the disk is full (No "
                       "space left on device)"));
}

TEST_F(Trust, IsLostToAProcessThatDiedAndItsLedgersAreShown) {
  status_ = TryStatus::failed;
  const Try t = judged();
  EXPECT_THAT(t.reasons, ElementsAre(HasSubstr("what its ledgers hold up to then is shown")));
  EXPECT_EQ(t.tally.counts.offered, 100);
  EXPECT_FALSE(t.tally.settled.goodput_per_s);
}

TEST_F(Trust, BearsAWarningAndPassesItOn) {
  generator_said_ = {{"warnings", {"connect() was slow"}}, {"ledger_lost", 0}};
  const Try t = judged();
  EXPECT_TRUE(t.trusted);
  EXPECT_THAT(t.warnings, ElementsAre("generator: connect() was slow"));
}

TEST_F(Trust, IsNotGivenToATryCutShortAndItsSettledWindowIsUnknown) {
  status_ = TryStatus::interrupted;
  ledger_.requests.resize(30);
  ledger_.attempts.resize(30);
  ledger_.arrivals.resize(30);
  const Try t = judged();
  EXPECT_THAT(t.reasons, ElementsAre(HasSubstr("interrupted")));
  EXPECT_FALSE(t.trusted);
  EXPECT_EQ(t.tally.counts.offered, 30);
  EXPECT_FALSE(t.tally.settled.goodput_per_s.has_value());
}

TEST_F(Trust, ANoteThatStillRunsWhenItsRunIsOverTellsOfAKill) {
  status_ = TryStatus::running;
  const Try t = judged();
  EXPECT_EQ(t.status, TryStatus::killed);
  EXPECT_THAT(t.reasons, ElementsAre(HasSubstr("killed")));
}

TEST(TryNote, ReadsBackEqual) {
  TryNote note;
  note.key = {"rate=5 \"x\"", 3};
  note.repeat = 1;
  note.repeats = 4;
  note.token = HandMadeLedger::token;
  note.status = TryStatus::failed;
  note.failure = "the service was killed";
  note.scenario.client.rate = 5;
  note.limits.cpu_share = 0.5;
  note.service = ProcessEnd{1, 9, 0.25, 0.5, 1.5};
  note.service_said = {{"event", "stopped"}};
  note.environment = {{"cores", 2}};
  note.imported = Imported{1, 2, 3, 4, {"attempts file: missing"}};
  const auto json = to_json(note);
  EXPECT_EQ(to_json(note_from_json(json, "note")), json);
}

}  // namespace
}  // namespace retrystorm
