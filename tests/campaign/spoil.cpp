#include "tests/campaign/spoil.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/policy/arrivals.hpp"
#include "tests/campaign/draw.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace retrystorm::campaign {
namespace {

bool is_number(const Field& field) {
  return field.type == "integer" || field.type == "number" || field.type == "rate";
}

// Puts the line in place of the one with its key.
// In place of the same, and of what it stands in place of.
void put(Case& c, const std::string& key, const std::string& value) {
  std::erase_if(c.lines, [&](const Line& line) {
    return line.key == key || replace_each_other(line.key, key);
  });
  c.lines.push_back({key, value});
}

bool out_of_range(Case& c, const Field& field, Dice& dice) {
  const auto bounds = bounds_of(field);
  if (!bounds) {
    if (field.words.empty()) return false;
    const char* const words[] = {"\"no such word\"", "\"\"", "\"TIMER\"", "\"timer \""};
    const std::string word = words[dice.below(4)];
    put(c, field.path(), field.type == "set" ? "[" + word + "]" : word);
    return true;
  }
  std::vector<std::string> unfit = {is_number(field) ? "-1" : "\"-1ms\""};
  if (bounds->high && *bounds->high < 1e18) {
    for (const double factor : {1.01, 10.0}) {
      // Whole numbers, so that one above the end is not rounded back into the range.
      unfit.push_back(literal(field, *bounds->high * factor));
    }
  }
  if (bounds->low > 0 && field.type != "integer") unfit.push_back(literal(field, 0));
  if (is_number(field)) unfit.insert(unfit.end(), {"nan", "inf", "-inf"});
  if (field.type == "duration") {
    unfit.insert(unfit.end(), {"\"300 years\"", "\"1e9h\"", "\"0.1ns\"", "\"99999999999h\""});
  }
  put(c, field.path(), dice.one_of(unfit));
  return true;
}

bool wrong_type(Case& c, const Field& field, Dice& dice) {
  std::vector<std::string> unfit = {"true", "1979-05-27", "[[1]]", "{ a = 1 }", "[1, \"2\"]"};
  if (is_number(field)) unfit.insert(unfit.end(), {"\"many\"", "[\"1\"]", "\"1 2\"", "\"0x10\""});
  if (field.type == "integer") unfit.insert(unfit.end(), {"1.5", "\"7\""});
  if (field.type == "duration")
    unfit.insert(unfit.end(), {"20", "1.5", "\"20\"", "\"ms\"", "\"20 min 3s\""});
  if (field.type == "choice") unfit.insert(unfit.end(), {"3", "[\"fifo\"]"});
  if (field.type == "set" || field.type == "texts") unfit.insert(unfit.end(), {"3", "\"\"", "[3]"});
  put(c, field.path(), dice.one_of(unfit));
  return true;
}

bool unknown_name(Case& c, const Field& field, Dice& dice) {
  const std::string path = field.path();
  const std::vector<std::string> names = {
      path + "s",
      path.substr(0, path.size() - 1),
      "no_table." + std::string(field.name),
      path + ".more",
      fmt::format("{}.\"a\\nb\"", field.table.empty() ? "x" : field.table),
      "\"\"",
      fmt::format("\"{}\"", std::string(300, 'x'))};
  const std::string name = dice.one_of(names);
  if (find_field(name)) return false;
  std::erase_if(c.lines, [&](const Line& line) { return line.key == path; });
  c.lines.push_back({name, "1"});
  return true;
}

// Each of these bytes is no UTF-8 where it stands.
bool no_utf8(Case& c, const Field& field, Dice& dice) {
  const std::vector<std::string> bytes = {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                                          "\xe2\x82"};
  const std::string& bad = dice.one_of(bytes);
  if (dice.chance(0.3)) {
    c.lines.push_back({"# " + bad, ""});
  } else if (dice.chance(0.3)) {
    c.lines.push_back({field.path() + bad, "1"});
  } else {
    put(c, field.path(), fmt::format("\"{}\"", bad));
  }
  return true;
}

// Without any fault of its own, so that what is put in is all that is wrong.
Case sound(Case c) {
  try {
    scenario_of(c);
  } catch (const InvalidInput&) {
    c.lines.clear();
  }
  return c;
}

bool contradiction(Case& c, const Field&, Dice& dice) {
  if (dice.chance(0.5)) {
    put(c, "client.duration", "\"1s\"");
    put(c, "settle", dice.chance(0.5) ? "\"1s\"" : "\"2h\"");
    // A queue of a number of places, so that this is all that is wrong.
    put(c, "service.queue", "1");
    c.named = "settle";
  } else {
    put(c, "service.queue", "\"auto\"");
    put(c, "service.discipline", dice.chance(0.5) ? "\"lifo\"" : "\"random\"");
    c.named = "service.queue";
  }
  return true;
}

bool malformed(Case& c, const Field& field, Dice& dice) {
  const std::string path = field.path();
  const std::vector<std::string> lines = {path + " =",
                                          path + " = \"open",
                                          "[" + path,
                                          path + " 3",
                                          "= 3",
                                          path + " = 1 2",
                                          path + " = 99999999999999999999",
                                          path + " = 0b2",
                                          "\x01"};
  std::erase_if(c.lines, [&](const Line& line) { return line.key == path; });
  if (dice.chance(0.2)) {
    c.lines.push_back({path, "1"});
    c.lines.push_back({path, "1"});
  } else if (dice.chance(0.2) && !field.table.empty()) {
    std::erase_if(c.lines, [&](const Line& line) { return line.key.starts_with(field.table); });
    c.lines.push_back({std::string(field.table), "3"});
    c.named = field.table;
  } else {
    c.lines.push_back({dice.one_of(lines), ""});
  }
  return true;
}

struct Flaw {
  const char* name;
  bool names_the_field;
  bool (*spoil)(Case&, const Field&, Dice&);  // false if it cannot be had of this field
};
constexpr Flaw flaws[] = {
    {"out of range", true, out_of_range},    {"wrong type", true, wrong_type},
    {"unknown name", false, unknown_name},   {"no UTF-8", false, no_utf8},
    {"contradiction", false, contradiction}, {"malformed", false, malformed},
};

}  // namespace

Case spoil(std::uint64_t seed, std::uint64_t number) {
  Dice dice(seed, number, "what is spoilt");
  const auto all = fields();
  while (true) {
    Case c = sound(draw(seed, number));
    const Flaw& flaw = flaws[dice.below(std::size(flaws))];
    const Field& field = all[dice.below(all.size())];
    if (!flaw.spoil(c, field, dice)) continue;
    c.flaw = flaw.name;
    if (flaw.names_the_field) c.named = field.path();
    return c;
  }
}

}  // namespace retrystorm::campaign
