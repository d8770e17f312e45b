// The prepared replies: which are dated, and that a new date changes nothing else.
#include "core/net/replies.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr auto at = [](std::int64_t s) {
  return std::chrono::sys_seconds(std::chrono::seconds(s));
};
constexpr std::size_t says = static_cast<std::size_t>(Say::bad_version) + 1;

std::vector<std::string> all(const Replies& replies) {
  std::vector<std::string> texts;
  for (const Then then : {Then::keep, Then::keep_1_0, Then::close}) {
    for (std::size_t say = 0; say < says; ++say) {
      texts.emplace_back(replies.get(static_cast<Say>(say), then));
    }
    for (const ReasonRow& row : reasons) {
      if (row.status != 0) texts.emplace_back(replies.refusal(row.reason, then, false));
    }
  }
  return texts;
}

TEST(Replies, AreDatedUnlessTheyAreA503) {
  for (const std::string& text : all(Replies(at(784'111'777)))) {
    const bool dated = !text.starts_with("HTTP/1.1 503") && !text.starts_with("HTTP/1.1 100");
    const std::string date = "\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    if (dated) {
      EXPECT_THAT(text, HasSubstr(date));
    } else {
      EXPECT_THAT(text, Not(HasSubstr("Date:")));
    }
  }
}

TEST(Replies, OfAnotherSecondAreThoseThatWereMadeInIt) {
  Replies replies(at(0));
  replies.set_date(at(784'111'777));
  EXPECT_EQ(all(replies), all(Replies(at(784'111'777))));
  replies.set_date(at(784'111'777));
  EXPECT_EQ(all(replies), all(Replies(at(784'111'777))));
}

TEST(Replies, ThatRefuseSayAReasonOfTheirOwn) {
  const Replies replies(at(0));
  for (const ReasonRow& row : reasons) {
    if (row.status == 0) continue;
    EXPECT_TRUE(replies.refusal(row.reason, Then::keep, false).ends_with(row.text)) << row.name;
    EXPECT_TRUE(replies.refusal(row.reason, Then::keep, true).ends_with("\r\n\r\n")) << row.name;
  }
}

}  // namespace
}  // namespace retrystorm
