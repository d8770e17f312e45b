#include "tests/model/reference.hpp"

#include "core/files.hpp"
#include "core/scenario_toml.hpp"
#include "tests/case_name.hpp"
#include "tests/places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include <fmt/format.h>

namespace retrystorm::reference {
namespace {

namespace json = boost::json;

// prefix, left to the simulation?
constexpr std::array families_list = {
    Family{"erlB_", false},         Family{"erlC_", false},         Family{"pub_erlB_", false},
    Family{"mmc_p99_", false},      Family{"mmcN_", false},         Family{"pub_mmcN_", false},
    Family{"pub_mmc_", false},      Family{"pub_ciw_", false},      Family{"simmer_", false},
    Family{"mdc_", false},          Family{"mdc20_", false},        Family{"md1N_", false},
    Family{"mdcN_", false},         Family{"mdcc_", false},         Family{"tokenbucket_", false},
    Family{"tr_mmcN_full_", false}, Family{"tr_mmcN_", false},      Family{"tr_mm1_", false},
    Family{"tr_mm25_", false},      Family{"erlangA_", false},      Family{"erlangC_", false},
    Family{"retrial_", false},      Family{"fp_plain_", false},     Family{"fp_burst_", false},
    Family{"fold_", false},         Family{"hit_collapse_", false}, Family{"hit_recover_", false},
    Family{"ttl_cache", false},     Family{"db_ps", false},         Family{"burn", false},
    Family{"hpa", false},           Family{"little", false},        Family{"run_", true},
};

std::vector<std::string>& asked() {
  static std::vector<std::string> list;
  return list;
}

// Half a unit in the last digit of `value` as the file prints it: it holds rounded numbers, some to
// fewer digits than its tolerances. `least` digits, if trailing zeros have gone.
double rounding(double value, double least) {
  if (value == 0) return 0;
  const std::string shortest = fmt::format("{}", value);
  double digits = 0;
  bool leading = true;
  for (const char c : shortest) {
    if (c == 'e') break;
    if (c == '0' && leading) continue;
    if (std::isdigit(c) == 0) continue;
    leading = false;
    ++digits;
  }
  const double exponent = std::floor(std::log10(std::abs(value)));
  return 0.5 * std::pow(10, exponent + 1 - std::max(digits, least));
}

}  // namespace

void PrintTo(const Entry& entry, std::ostream* out) {
  *out << entry.id;
}

double Entry::param(std::string_view name) const {
  return params.at({name.data(), name.size()}).to_number<double>();
}

std::int64_t Entry::whole(std::string_view name) const {
  return static_cast<std::int64_t>(std::llround(param(name)));
}

double Entry::value(std::string_view name) const {
  const json::value& v = values.at({name.data(), name.size()});
  return v.is_object() ? v.get_object().at("value").to_number<double>() : v.to_number<double>();
}

const std::vector<Entry>& all_entries() {
  static const std::vector<Entry> list = [] {
    const json::value document = json::parse(read_file(test_data("queueing_reference.json")));
    std::vector<Entry> entries;
    for (const json::value& item : document.at("entries").as_array()) {
      const json::object& object = item.as_object();
      entries.push_back({std::string(object.at("id").as_string()), object.at("params").as_object(),
                         object.at("values").as_object(), object.at("tolerance").as_object()});
    }
    return entries;
  }();
  return list;
}

std::span<const Family> families() {
  return families_list;
}

bool belongs(const Entry& entry, const Family& family) {
  // The longest prefix wins: "tr_mmcN_full_" before "tr_mmcN_".
  if (!entry.id.starts_with(family.prefix)) return false;
  return std::none_of(families_list.begin(), families_list.end(), [&](const Family& other) {
    return other.prefix.size() > family.prefix.size() && entry.id.starts_with(other.prefix);
  });
}

std::vector<Entry> entries_of(std::string_view prefix) {
  const auto family = std::find_if(families_list.begin(), families_list.end(),
                                   [&](const Family& f) { return f.prefix == prefix; });
  std::vector<Entry> list;
  if (family == families_list.end()) return list;
  asked().emplace_back(prefix);
  for (const Entry& entry : all_entries()) {
    if (belongs(entry, *family)) list.push_back(entry);
  }
  return list;
}

const std::vector<std::string>& asked_for() {
  return asked();
}

std::string test_name(const ::testing::TestParamInfo<Entry>& info) {
  return case_name(info.param.id);
}

void expect_near(const Entry& entry, std::string_view what, double mine, double reference) {
  const std::string kind(entry.tolerance.at("kind").as_string());
  const double tolerance = entry.tolerance.at("value").to_number<double>();
  if (kind == "exact") {
    EXPECT_EQ(mine, reference) << entry.id << " " << what;
  } else if (kind == "rel") {
    EXPECT_NEAR(mine, reference,
                tolerance * std::abs(reference) + rounding(reference, -std::log10(tolerance)))
        << entry.id << " " << what;
  } else if (kind == "abs") {
    EXPECT_NEAR(mine, reference, tolerance + rounding(reference, 8)) << entry.id << " " << what;
  } else {
    ADD_FAILURE() << entry.id << " has a tolerance of kind " << kind << ", not one for this test";
  }
}

void expect_value(const Entry& entry, std::string_view name, double mine) {
  ASSERT_TRUE(entry.has(name)) << entry.id << " has no value " << name;
  expect_near(entry, name, mine, entry.value(name));
}

}  // namespace retrystorm::reference
