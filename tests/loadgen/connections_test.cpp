// Kept connections and their ends, with the loop held still so that "before" and "after" are exact.
#include "core/clocks.hpp"
#include "tests/instants.hpp"
#include "tests/loadgen/run_generator.hpp"

#include <atomic>
#include <future>
#include <memory>

#include <boost/asio/ip/address.hpp>

namespace retrystorm::loadgen {
namespace {

// Holds a driver's loop still from the moment it is made (or the loop's end) until release().
class Hold {
 public:
  Hold(Driver& driver, const std::atomic<bool>& loop_ended) {
    driver.post([this] {
      held_.set_value();
      released_.get_future().wait();
    });
    const auto held = held_.get_future();
    while (held.wait_for(5ms) != std::future_status::ready && !loop_ended) {
    }
  }
  void release() { released_.set_value(); }

 private:
  std::promise<void> held_, released_;
};

void wait_until_past(std::chrono::steady_clock::time_point instant) {
  while (std::chrono::steady_clock::now() <= instant) std::this_thread::yield();
}

// A driver whose server holds the loop while it answers: what `answer` does is done when the loop
// goes on.
class HeldDriver {
 public:
  using Script = std::function<Answer(const Heard&)>;

  HeldDriver(const Scenario& scenario, Duration trusted_idle, Script script)
      : script_(std::move(script)), peer_([this](const Heard& heard) { return answer(heard); }) {
    driver_.emplace(
        DriverPlan{scenario, Reason::in_flight_limit, peer_.url(), 1, {}, {}, trusted_idle}, live_);
  }

  const Observed& run() {
    driver_->run(steady_now(), {});
    ended_ = true;
    return driver_->recorder().observed();
  }
  const Peer& peer() const { return peer_; }
  std::uint64_t opened() const { return driver_->opened(); }

 private:
  Answer answer(const Heard& heard) {
    const auto hold = std::make_shared<Hold>(*driver_, ended_);
    Answer answer = script_(heard);
    answer.after = [hold, after = answer.after] {
      after();
      hold->release();
    };
    holds_.push_back(hold);
    return answer;
  }

  Script script_;
  LiveCounts live_;
  std::atomic<bool> ended_{false};
  std::vector<std::shared_ptr<Hold>> holds_;  // a loop that ended may still hold their handlers
  std::optional<Driver> driver_;              // outlives the peer, whose script calls it
  Peer peer_;
};

Scenario scenario_of(int count, Duration duration = 100ms) {
  Scenario scenario;
  scenario.client.duration = duration;
  scenario.client.rate = count / seconds(duration);
  scenario.client.timeout = 20s;
  return scenario;
}

TEST(GeneratorConnections, OneClosedWhileIdleIsDroppedUnharmed) {
  HeldDriver driver(scenario_of(20), 0ms, [](const Heard&) {
    return Answer{reply(200), Answer::Then::close};
  });
  const Observed& seen = driver.run();
  EXPECT_EQ(seen.of(RequestOutcome::succeeded), 20U);
  EXPECT_EQ(driver.opened(), 20U);
}

TEST(GeneratorConnections, OneResetWhileIdleIsDroppedUnharmed) {
  HeldDriver driver(scenario_of(20), 0ms, [](const Heard&) {
    return Answer{reply(200), Answer::Then::reset};
  });
  const Observed& seen = driver.run();
  EXPECT_EQ(seen.of(RequestOutcome::succeeded), 20U);
  EXPECT_EQ(driver.opened(), 20U);
}

TEST(GeneratorConnections, ARetryIsNotSentIntoAClosedConnection) {
  Scenario scenario = scenario_of(20);
  scenario.client.retries = 1;
  HeldDriver driver(scenario, 0ms, [](const Heard& h) {
    return Answer{reply(h.id.attempt == 0 ? 503 : 200), Answer::Then::close};
  });
  const Observed& seen = driver.run();
  EXPECT_EQ(seen.of(AttemptOutcome::rejected), 20U);
  EXPECT_EQ(seen.of(RequestOutcome::succeeded), 20U);
}

TEST(GeneratorConnections, ARequestSentIntoAClosedConnectionIsStaleAndNotResent) {
  // Two requests; the loop is held until the second is due, and the server has closed by then.
  const auto start = std::chrono::steady_clock::now();
  HeldDriver driver(scenario_of(2, 40ms), 1h, [&](const Heard& h) {
    Answer answer{reply(200), Answer::Then::close};
    if (h.id.request == 0) answer.between = [&] { wait_until_past(start + 60ms); };
    return answer;
  });
  const Observed& seen = driver.run();
  EXPECT_EQ(seen.io_errors[static_cast<std::size_t>(Reason::stale)], 1U);
  EXPECT_EQ(seen.of(RequestOutcome::succeeded), 1U);
  EXPECT_EQ(driver.peer().heard().size(), 1U);  // no silent second try
  EXPECT_EQ(driver.opened(), 1U);
}

TEST(GeneratorConnections, AReplyFoundAfterTheDeadlineIsALateReadThatSucceeds) {
  Scenario scenario = scenario_of(5);
  scenario.client.timeout = 50ms;
  HeldDriver driver(scenario, 1ms, [](const Heard&) {
    Answer answer{reply(200)};
    answer.between = [] { wait_until_past(std::chrono::steady_clock::now() + 50ms); };
    return answer;
  });
  const Observed& seen = driver.run();
  // A request that never reached the script before its deadline timed out; each that did is late.
  EXPECT_GT(seen.late_read, 0U);
  EXPECT_EQ(seen.late_read, seen.of(AttemptOutcome::succeeded));
  EXPECT_EQ(seen.late_read + seen.of(AttemptOutcome::timed_out), 5U);
}

TEST(GeneratorConnections, ARefusalFoundAfterTheDeadlineIsRejectedAndNoLateRead) {
  Scenario scenario = scenario_of(5);
  scenario.client.timeout = 50ms;
  HeldDriver driver(scenario, 1ms, [](const Heard&) {
    Answer answer{reply(503)};
    answer.between = [] { wait_until_past(std::chrono::steady_clock::now() + 50ms); };
    return answer;
  });
  const Observed& seen = driver.run();
  EXPECT_GT(seen.of(AttemptOutcome::rejected), 0U);
  EXPECT_EQ(seen.late_read, 0U);
}

// The slab and the pool by themselves.
class Slab : public testing::Test {
 protected:
  Connection& open() {
    const Connections::Opened opened = connections.open();
    EXPECT_NE(opened.connection, nullptr);
    return *opened.connection;
  }
  Void nothing;
  boost::asio::io_context io{1};
  Connections connections{io,
                          {boost::asio::ip::make_address("127.0.0.1"), nothing.url().address.port}};
};

TEST_F(Slab, GivesTheMostRecentlyKeptFirst) {
  Connection& first = open();
  Connection& second = open();
  connections.keep(first, at(1ms));
  connections.keep(second, at(2ms));
  EXPECT_EQ(connections.take_idle(at(2ms), 1h), &second);
  EXPECT_EQ(connections.take_idle(at(2ms), 1h), &first);
  EXPECT_EQ(connections.take_idle(at(2ms), 1h), nullptr);
}

TEST_F(Slab, UsesAnObjectAgainOnlyAfterItsLastHandler) {
  Connection& first = open();
  first.pending = 2;
  connections.close(first);
  EXPECT_NE(&open(), &first);
  --first.pending;
  EXPECT_TRUE(connections.was_closed(first));
  EXPECT_NE(&open(), &first);
  --first.pending;
  EXPECT_TRUE(connections.was_closed(first));
  EXPECT_EQ(&open(), &first);
}

TEST_F(Slab, ForgetsAnIdleConnectionThatIsClosed) {
  Connection& first = open();
  connections.keep(first, at(1ms));
  connections.close(first);
  EXPECT_EQ(connections.take_idle(at(2ms), 1h), nullptr);
}

}  // namespace
}  // namespace retrystorm::loadgen
