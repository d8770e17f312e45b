// The reference values of tests/data/queueing_reference.json, entry by entry: each test names the
// entry it checks, at the entry's own tolerance. The one list of what is covered where is
// families().
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace retrystorm::reference {

struct Entry {
  std::string id;
  boost::json::object params;
  boost::json::object values;
  boost::json::object tolerance;

  double param(std::string_view name) const;
  std::int64_t whole(std::string_view name) const;
  // A value, plain or {"value": ..., "se": ...}.
  double value(std::string_view name) const;
  bool has(std::string_view name) const { return values.contains({name.data(), name.size()}); }
};

// What a test name shows of an entry; also its name in failures.
void PrintTo(const Entry& entry, std::ostream* out);

const std::vector<Entry>& all_entries();

// Entries whose id is `prefix` followed by a digit-led rest or nothing; families do not overlap.
struct Family {
  std::string_view prefix;
  bool simulated;  // a finite run: left to the tests of the event simulation
};
std::span<const Family> families();
bool belongs(const Entry& entry, const Family& family);

// The entries of a listed family, for INSTANTIATE_TEST_SUITE_P; remembers that a test asked for it.
std::vector<Entry> entries_of(std::string_view prefix);
const std::vector<std::string>& asked_for();

// The test's name for an entry: its id.
std::string test_name(const ::testing::TestParamInfo<Entry>& info);

// Expects `mine` to be the entry's value of that name, within the entry's tolerance (rel, abs or
// exact) and the rounding of the number in the file.
void expect_value(const Entry& entry, std::string_view name, double mine);
void expect_near(const Entry& entry, std::string_view what, double mine, double reference);

}  // namespace retrystorm::reference
