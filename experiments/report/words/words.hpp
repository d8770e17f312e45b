// A report in plain sentences: what happened, why, which knob would change it, and whether the run
// can be trusted. Every sentence is derived from the figures; none is written for one experiment.
#pragma once

#include "experiments/report/report.hpp"
#include "model/advice.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace retrystorm {

struct Paragraph {
  std::string_view question;  // "What happened", ...
  std::string text;
};

struct Words {
  std::string headline;
  std::vector<Paragraph> paragraphs;
  // What single changes to one arm would buy, by simulation; only if the run was predicted.
  std::optional<Advice> advice;
  std::string advised_arm;
};

Words words_of(const Report& report);

// Whether the run as a whole can be trusted, in one word or two.
std::string_view trust_label(const Report& report);

// What an arm must keep to, to be trusted, in one paragraph: the limits of this run.
std::string trust_rule(const Report& report);

// Whether Prometheus counted what the ledgers did; empty if none was asked.
std::string third_witness(const Report& report);

// The words that a reader must know, with their meaning.
struct Term {
  std::string_view id;    // anchor
  std::string_view word;  // as it stands in text, in lower case
  std::string_view meaning;
};
std::span<const Term> glossary();

}  // namespace retrystorm
