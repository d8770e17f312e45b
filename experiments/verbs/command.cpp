#include "experiments/verbs/command.hpp"

#include "core/error.hpp"
#include "core/units.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

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

// What the command line asks for and there is not; nothing if the error is another one. CLI11
// misses what is required first, and would say of `run --repaet 3 FILE` only that a file is
// missing.
std::optional<InvalidInput> unknown_word(const CLI::App& app) {
  const std::vector<std::string> left = app.remaining(true);
  const auto verbs = app.get_subcommands();
  if (left.empty() && !verbs.empty()) return std::nullopt;
  if (!verbs.empty() || (!left.empty() && left.front().starts_with('-'))) {
    const std::string verb = verbs.empty() ? "" : verbs.front()->get_name() + " ";
    return InvalidInput(
        command_line, left.front(),
        fmt::format("is no flag or argument here; `{} {}--help` lists them", app.get_name(), verb));
  }
  std::string names;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + one->get_name();
  }
  if (left.empty()) return InvalidInput(command_line, "", "must name a verb: " + names);
  return InvalidInput(command_line, left.front(), "is no verb; there are " + names);
}

}  // namespace

Program::Program(const std::string& about, const std::string& name, const std::string& version)
    : app_(std::make_unique<CLI::App>(about, name)) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
}

Program::~Program() = default;

bool Program::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
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
