#include "core/units.hpp"

#include "core/random.hpp"
#include "tests/seed.hpp"

#include <gtest/gtest.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

template <typename T>
concept Addable = requires(T a, T b) {
  a + b;
};
static_assert(!Addable<Instant>, "two instants have a difference, and no sum");
static_assert(Addable<Duration>);

TEST(Duration, IsReadExactlyInEveryUnit) {
  EXPECT_EQ(parse_duration("20ms"), 20ms);
  EXPECT_EQ(parse_duration("20.25ms"), 20250us);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("0.000000001s"), 1ns);
  EXPECT_EQ(parse_duration("1.500s"), 1500ms);
  EXPECT_EQ(parse_duration("2min"), 120s);
  EXPECT_EQ(parse_duration("0.5h"), 30min);
  EXPECT_EQ(parse_duration("7ns"), 7ns);
  EXPECT_EQ(parse_duration("0.1us"), 100ns);
}

TEST(Duration, IsRefusedWithoutUnitOrBeyondItsGrain) {
  for (const char* text : {"", "20", "ms", "20 ms", "-1ms", "+1ms", "1e3ms", "1.ms", ".5ms",
                           "1.5ns", "0.0000000001s", "20msec", "1..5s", "nan", "infs",
                           "99999999999999999999ms", "9223372036854775807ns", "1h1min", "20MS"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Duration, WrittenAsTextReadsBackEqual) {
  EXPECT_EQ(format_duration(20ms), "20ms");
  EXPECT_EQ(format_duration(20250us), "20.25ms");
  EXPECT_EQ(format_duration(1500ms), "1.5s");
  EXPECT_EQ(format_duration(0ns), "0ms");
  EXPECT_EQ(format_duration(90s), "90s");
  const Seed seed(7);
  Random random(seed.value());
  for (int i = 0; i < 10'000; ++i) {
    const Duration d(static_cast<std::int64_t>(random() >> (1 + random() % 62)));
    EXPECT_EQ(parse_duration(format_duration(d)), d);
  }
}

TEST(Rate, IsReadWithAndWithoutPerSecond) {
  EXPECT_EQ(parse_rate("1200"), 1200);
  EXPECT_EQ(parse_rate("1200/s"), 1200);
  EXPECT_EQ(parse_rate("0.5/s"), 0.5);
  for (const char* text : {"", "/s", "-1", "nan", "inf", "1200/min", "1200 /s", "0x10", "1,200"}) {
    EXPECT_EQ(parse_rate(text), std::nullopt) << text;
  }
}

TEST(Number, WrittenAsTextHasNoFractionWhenWhole) {
  EXPECT_EQ(format_number(1200), "1200");
  EXPECT_EQ(format_number(0.25), "0.25");
  EXPECT_EQ(parse_number(format_number(1.0 / 3)), 1.0 / 3);
}

}  // namespace
}  // namespace retrystorm
