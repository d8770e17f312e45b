#include "experiments/report/formats/markdown.hpp"

#include "core/error.hpp"
#include "core/version.hpp"
#include "experiments/report/rerun.hpp"
#include "experiments/report/tables.hpp"
#include "experiments/report/words/words.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {
namespace {

// A table with its numbers aligned to the right. The columns are padded, so that it also reads as
// plain text and a diff shows the cell that changed.
std::string markdown_table(const Table& table) {
  std::vector<std::vector<std::string>> lines;
  lines.emplace_back();
  for (const std::string& heading : table.headings) lines[0].push_back(markdown_escaped(heading));
  for (const TableRow& row : table.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row.cells) cells.push_back(markdown_escaped(cell.text));
    lines.push_back(std::move(cells));
  }
  // Width in code points: near enough to columns for what stands here.
  const auto width = [](const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
  };
  std::vector<std::size_t> widths(table.headings.size(), 3);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width(line[i]));
  }
  const auto text_of = [&](const std::vector<std::string>& line) {
    std::string text = "|";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string cell = i < line.size() ? line[i] : std::string();
      const std::string pad(widths[i] - width(cell), ' ');
      text += i < table.labels ? " " + cell + pad + " |" : " " + pad + cell + " |";
    }
    return text + "\n";
  };
  std::string text = text_of(lines[0]) + "|";
  for (std::size_t i = 0; i < widths.size(); ++i) {
    text += i < table.labels ? ":" + std::string(widths[i], '-') + "-|"
                             : "-" + std::string(widths[i], '-') + ":|";
  }
  text += "\n";
  for (std::size_t i = 1; i < lines.size(); ++i) text += text_of(lines[i]);
  return text;
}

std::string untrusted_list(const Report& report) {
  std::string text;
  for (const ArmReport& arm : report.arms) {
    if (arm.trusted) continue;
    text += fmt::format("- {} ({})\n", markdown_escaped(arm.name),
                        markdown_escaped(arm.status == "done" ? "untrusted" : arm.status));
    for (const std::string& reason : arm.reasons) {
      text += fmt::format("  - {}\n", markdown_escaped(reason));
    }
  }
  return text;
}

std::string published_note(const Report& report) {
  for (const ArmReport& arm : report.arms) {
    if (!arm.published) continue;
    std::string text = fmt::format("Published: {}; its rates are {}.", arm.published->source,
                                   arm.published->rates);
    for (const std::string& note : arm.published->notes) text += " " + note;
    return markdown_escaped(text) + "\n\n";
  }
  return {};
}

}  // namespace

std::string report_markdown(const Report& report, std::string_view directory) {
  const Words words = words_of(report);
  std::string text = fmt::format("# {}\n\n", markdown_escaped(report.experiment));
  text += fmt::format("**{}** ({})\n\n", markdown_escaped(words.headline), trust_label(report));
  if (!report.question.empty()) text += fmt::format("*{}*\n\n", markdown_escaped(report.question));
  for (const Paragraph& p : words.paragraphs) {
    text += fmt::format("**{}** {}\n\n", p.question, markdown_escaped(p.text));
  }
  if (const std::string list = untrusted_list(report); !list.empty()) {
    text += "What is not trusted, and why:\n\n" + list + "\n";
  }
  text += "## The figures\n\n" + published_note(report) + markdown_table(overview_table(report));
  if (const Table stages = stages_table(report); !stages.rows.empty()) {
    text += "\n## Stage by stage\n\n" + markdown_table(stages);
  }
  if (const Table classes = classes_table(report); !classes.rows.empty()) {
    text += "\n## Each class of clients\n\n" + markdown_table(classes);
  }
  text += "\n## The queue against the useful queue\n\n" + markdown_table(queue_table(report));
  if (words.advice) {
    text += "\n## What each single change would buy\n\n" +
            markdown_escaped(fmt::format("By the simulation, for “{}” with one field changed and "
                                         "all else as it is.",
                                         words.advised_arm)) +
            "\n\n" + markdown_table(advice_table(*words.advice));
  }
  if (const Table errors = error_table(report); !errors.rows.empty()) {
    text += "\n## How far the predictions are off\n\n" + markdown_table(errors) +
            "\n## Every engine's prediction\n\n" + markdown_table(engines_table(report));
  } else {
    text += "\nNothing was predicted in this run.\n";
  }
  text += "\n## Trust\n\n" + markdown_escaped(trust_rule(report)) + "\n\n" +
          markdown_table(trust_table(report));
  if (const Table both = reconciliation_table(report); !both.rows.empty()) {
    text += "\n" + markdown_table(both);
    if (const std::string third = third_witness(report); !third.empty()) {
      text += "\n" + markdown_escaped(third) + "\n";
    }
  }
  text += "\n## Parameters\n\n" + markdown_table(parameters_table(report));
  if (!report.environment.empty()) text += "\n" + markdown_table(environment_table(report));
  text += "\n## Run it again\n\n";
  for (const std::string& command : rerun_commands(report, directory)) {
    text += "    " + printable(command, 4000) + "\n";
  }
  text += "\n## Words\n\n";
  for (const Term& term : glossary()) {
    text += fmt::format("- **{}**: {}\n", term.word, markdown_escaped(term.meaning));
  }
  text += fmt::format("\nWritten by retrystorm {}.\n", version());
  return text;
}

std::string markdown_escaped(std::string_view text) {
  constexpr std::string_view special = "\\`*_[]<>|#~&";
  std::string result;
  for (const char c : printable(text, text.size() * 4 + 1)) {
    if (special.find(c) != special.npos) result += '\\';
    result += c;
  }
  return result;
}

}  // namespace retrystorm
