#include "experiments/report/layout.hpp"

#include "core/fields.hpp"
#include "core/number_text.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {
namespace {

constexpr std::string_view rate_field = "client.rate";

// Of stages, recorded arrivals and users there is no one rate to lay them out by.
bool have_one_rate_each(const Report& report) {
  return std::all_of(report.arms.begin(), report.arms.end(), [](const ArmReport& arm) {
    const ClientSettings& client = arm.scenario.client;
    return client.rate > 0 && has_one_rate(client);
  });
}

std::string load_label(double rate) {
  return rate_text(rate) + "/s";
}

// What sets the arm apart from others at the same load: the words of its name that do not give
// the rate, so that named arms keep their names.
std::string rest_of_name(const ArmReport& arm) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty() && !word.starts_with("rate=") && !word.starts_with("client.rate=")) {
      words.push_back(word);
    }
    word.clear();
  };
  for (const char c : arm.name) {
    if (c == ' ') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return fmt::format("{}", fmt::join(words, " "));
}

Layout one_row(const Report& report) {
  Layout layout;
  layout.rows.emplace_back();
  for (std::size_t i = 0; i < report.arms.size(); ++i) {
    layout.columns.push_back(report.arms[i].name);
    layout.rows.front().cells.emplace_back(i);
  }
  return layout;
}

}  // namespace

std::vector<std::string> varied_fields(const Report& report) {
  std::vector<std::string> paths;
  for (const Field& field : fields()) {
    const bool varied =
        std::any_of(report.arms.begin(), report.arms.end(), [&](const ArmReport& a) {
          return field.get(a.scenario) != field.get(report.arms.front().scenario);
        });
    if (varied) paths.push_back(field.path());
  }
  return paths;
}

Layout layout_of(const Report& report) {
  const std::vector<std::string> varied = varied_fields(report);
  if (std::find(varied.begin(), varied.end(), rate_field) == varied.end() ||
      !have_one_rate_each(report)) {
    return one_row(report);
  }
  std::set<double> rates;
  for (const ArmReport& arm : report.arms) rates.insert(arm.scenario.client.rate);
  Layout layout;
  std::map<double, std::size_t> column_of;
  for (const double rate : rates) {
    column_of[rate] = layout.columns.size();
    layout.columns.push_back(load_label(rate));
  }
  for (std::size_t i = 0; i < report.arms.size(); ++i) {
    const std::string label = rest_of_name(report.arms[i]);
    const std::size_t column = column_of[report.arms[i].scenario.client.rate];
    // The first row of this label with the column free: two arms of one load need two rows.
    auto row = std::find_if(layout.rows.begin(), layout.rows.end(), [&](const LayoutRow& r) {
      return r.label == label && !r.cells[column];
    });
    if (row == layout.rows.end()) {
      layout.rows.push_back({label, {}});
      row = layout.rows.end() - 1;
      row->cells.resize(layout.columns.size());
    }
    row->cells[column] = i;
  }
  return layout;
}

}  // namespace retrystorm
