// A morning as a table, CSV or JSON. All three come from one list of columns, and each says that
// it is a teaching model's.
#pragma once

#include "model/oncall/morning.hpp"
#include "model/oncall/scenario.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace retrystorm::oncall {

// What was played.
struct Title {
  Scenario scenario = Scenario::steady;
  std::uint32_t seed = 0;
  std::string who;  // "none", "textbook", "panic" or the script's file
};

// Every `every`-th minute, and the last.
std::string to_table(const Title& title, const Morning& morning, int every);
// Every minute; comment lines begin with '#'.
std::string to_csv(const Title& title, const Morning& morning);
std::string to_json_text(const Title& title, const Morning& morning);

boost::json::object to_json(const Summary& summary);

}  // namespace retrystorm::oncall
