#include "experiments/verbs/command.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/nearest.hpp"
#include "core/units.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {

Flag& Flag::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Flag& Flag::required() {
  option_->required();
  return *this;
}

Flag& Flag::capture_default_str() {
  option_->capture_default_str();
  return *this;
}

Flag& Flag::default_str(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Flag& Flag::group(const std::string& name) {
  option_->group(name);
  return *this;
}

Flag& Flag::delimiter(char separator) {
  option_->delimiter(separator);
  return *this;
}

Flag& Flag::excludes(const Flag& other) {
  option_->excludes(other.option_);
  return *this;
}

Flag& Flag::needs(const Flag& other) {
  option_->needs(other.option_);
  return *this;
}

Flag& Flag::range(std::int64_t low, std::int64_t high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Flag& Flag::within(double low, double high) {
  option_->check(CLI::Validator(
      [=](std::string& text) {
        const auto value = parse_number(text);
        return value && *value >= low && *value <= high
                   ? std::string()
                   : fmt::format("must be a number from {} to {}", low, high);
      },
      ""));
  return *this;
}

Flag& Flag::one_of(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  return *this;
}

Flag& Flag::not_empty() {
  option_->check([](const std::string& text) {
    return std::string(text.empty() ? "must not be empty; it can be left out" : "");
  });
  return *this;
}

bool Flag::given() const {
  return option_->count() > 0;
}

std::string Flag::name() const {
  return option_->get_name();
}

Command Command::add_subcommand(const std::string& name, const std::string& about) {
  return Command(app_->add_subcommand(name, about));
}

Flag Command::add_option(const std::string& names, std::string& value, const std::string& help) {
  return Flag(app_->add_option(names, value, help));
}

Flag Command::add_option(const std::string& names, double& value, const std::string& help) {
  return Flag(app_->add_option(names, value, help));
}

Flag Command::add_option(const std::string& names, int& value, const std::string& help) {
  return Flag(app_->add_option(names, value, help));
}

Flag Command::add_option(const std::string& names, std::int64_t& value, const std::string& help) {
  return Flag(app_->add_option(names, value, help));
}

Flag Command::add_option(const std::string& names, std::uint32_t& value, const std::string& help) {
  return Flag(app_->add_option(names, value, help));
}

Flag Command::add_option(const std::string& names, std::uint64_t& value, const std::string& help) {
  return Flag(app_->add_option(names, value, help));
}

Flag Command::add_option(const std::string& names, std::optional<std::int64_t>& value,
                         const std::string& help) {
  return Flag(app_->add_option(names, value, help));
}

Flag Command::add_option(const std::string& names, std::vector<std::string>& values,
                         const std::string& help) {
  // One value each time: `--engine fluid FILE` must not take the file for an engine.
  return Flag(app_->add_option(names, values, help)->allow_extra_args(false));
}

Flag Command::add_flag(const std::string& names, bool& value, const std::string& help) {
  return Flag(app_->add_flag(names, value, help));
}

Flag Command::add_flag(const std::string& names, const std::string& help) {
  return Flag(app_->add_flag(names)->description(help));
}

void Command::footer(const std::string& text) {
  app_->footer(text);
}

bool Command::parsed() const {
  return app_->parsed();
}

namespace {

std::vector<std::string> verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(one->get_name());
  }
  return names;
}

// The long flags of a command.
std::vector<std::string> long_flags_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// "did you mean --rate?", or else where to look.
std::string meant(const std::string& near, const std::string& otherwise) {
  return near.empty() ? otherwise : fmt::format("did you mean {}?", near);
}

// What the command line asks for and there is not; nothing if the error is another one. CLI11
// misses what is required first, and would say of `run --repaet 3 FILE` only that a file is
// missing.
std::optional<InvalidInput> unknown_word(const CLI::App& app) {
  const std::vector<std::string> left = app.remaining(true);
  const auto verbs = app.get_subcommands();
  if (left.empty() && !verbs.empty()) return std::nullopt;
  if (!verbs.empty() || (!left.empty() && left.front().starts_with('-'))) {
    const std::string verb = verbs.empty() ? "" : verbs.front()->get_name() + " ";
    const std::string given = left.front().substr(0, left.front().find('='));
    const std::string near =
        given.starts_with('-') ? nearest(given, long_flags_of(verbs.empty() ? app : *verbs.front()))
                               : std::string();
    return InvalidInput(
        command_line, left.front(),
        fmt::format("is no flag or argument here; {}",
                    meant(near, fmt::format("`{} {}--help` lists them", app.get_name(), verb))));
  }
  const std::vector<std::string> names = verbs_of(app);
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  if (left.empty()) return InvalidInput(command_line, "", "must name a verb: " + all);
  const std::string near = nearest(left.front(), names);
  return InvalidInput(command_line, left.front(),
                      near.empty()
                          ? "is no verb; there are " + all
                          : fmt::format("is no verb; did you mean {}? There are {}", near, all));
}

// `help`, `help VERB` and `version` are what people type first: the flags of that name.
std::vector<const char*> with_words_as_flags(const CLI::App& app, int argc, char** argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (words.size() < 2) return words;
  const std::string_view first = words[1];
  if (first == "version" && words.size() == 2) words[1] = "--version";
  if (first != "help") return words;
  const std::vector<std::string> verbs = verbs_of(app);
  if (words.size() == 2) {
    words[1] = "--help";
  } else {
    words.erase(words.begin() + 1);
    // After what is no verb the flag would hide that.
    if (std::find(verbs.begin(), verbs.end(), words[1]) != verbs.end()) {
      words.insert(words.begin() + 2, "--help");
    }
  }
  return words;
}

// The parts of a text between separators.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// The words that the field of that flag may take; none if it is no field's, or takes any text.
std::vector<std::string> words_of_field(const std::string& flag, const std::string& type) {
  for (const Field& field : fields()) {
    if (field.type == type && field.flag() == flag) return field.words;
  }
  return {};
}

OptionPage page_of(const CLI::Option& option) {
  OptionPage page;
  page.argument = option.get_positional();
  if (page.argument) page.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_snames()) page.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) page.names.push_back("--" + name);
  page.required = option.get_required();
  page.repeats = option.get_items_expected_max() > 1;
  page.group = option.get_group();
  page.help = option.get_description();
  if (option.get_items_expected_max() == 0) return page;
  page.default_value = option.get_default_str();
  // "TYPE", "TYPE:{one,of,these}" or "N:INT in [1 - 9]"; an address has a colon of its own.
  page.value = option.get_type_name();
  if (const std::size_t at = page.value.find(":{"); at != page.value.npos) {
    page.words = split(page.value.substr(at + 2, page.value.rfind('}') - at - 2), ',');
    page.value.erase(at);
  }
  if (const std::size_t at = page.value.find(" in ["); at != page.value.npos) {
    page.value.erase(page.value.rfind(':', at));
  }
  if (page.words.empty()) page.words = words_of_field(page.names.back(), page.value);
  return page;
}

CommandPage page_of(const CLI::App& app) {
  CommandPage page{app.get_name(), app.get_description(), {}, app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options()) page.options.push_back(page_of(*option));
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    page.commands.push_back(page_of(*one));
  }
  return page;
}

}  // namespace

Program::Program(const std::string& about, const std::string& name, const std::string& version)
    : app_(std::make_unique<CLI::App>(about, name)) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->footer(
      fmt::format("`{0} help VERB` shows the flags of a verb, as `{0} VERB --help` does.", name));
}

Program::~Program() = default;

CommandPage Program::pages() const {
  return page_of(*app_);
}

bool Program::parse(int argc, char** argv) {
  try {
    const std::vector<const char*> words = with_words_as_flags(*app_, argc, argv);
    app_->parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      const bool missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
      if (missing || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        if (const auto unknown = unknown_word(*app_)) throw *unknown;
      }
      throw InvalidInput(command_line, "", printable(error.what(), 400));
    }
    app_->exit(error);  // --help, --version
    return true;
  }
  return false;
}

}  // namespace retrystorm
