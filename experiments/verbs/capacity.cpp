// retrystorm capacity: how many workers a load needs, and what they admit.
#include "core/error.hpp"
#include "core/json.hpp"
#include "experiments/verbs/cli_fields.hpp"
#include "experiments/verbs/flag_values.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"
#include "model/calculators/decimal.hpp"
#include "model/calculators/sizing.hpp"

#include <memory>

#include <boost/json/value.hpp>

namespace retrystorm {
namespace {

struct Flags {
  std::string work;
  std::string rate;
  std::string share = "75%";
  std::string workers;
  bool json = false;
};

[[noreturn]] void refuse(std::string_view flag, std::string_view remedy) {
  throw InvalidInput(command_line, flag, remedy);
}

SizingInput input_of(const Flags& flags) {
  SizingInput input;
  const auto work = parse_duration(flags.work);
  if (!work || work->count() == 0 || *work > std::chrono::hours(24)) {
    refuse("--work", "must be a duration such as 40ms, above 0 and at most 24h");
  }
  input.work = *work;
  std::string_view rate = flags.rate;
  if (rate.ends_with("/s")) rate.remove_suffix(2);
  const auto rate_micro = parse_decimal(rate, 6);
  if (!rate_micro || *rate_micro == 0 || *rate_micro > 1'000'000'000'000'000) {
    refuse("--rate",
           "must be a rate per second such as 120, above 0, at most 1000000000, with at most six "
           "decimals");
  }
  input.rate_micro = *rate_micro;
  input.share_ppm = percent_flag("--share", flags.share);
  if (input.share_ppm < 10'000) refuse("--share", "must be a percentage from 1% to 100%");
  if (!flags.workers.empty()) input.workers = whole_flag("--workers", flags.workers, 1, 1'000'000);
  return input;
}

int run(const Flags& flags) {
  const SizingInput input = input_of(flags);
  const Sizing sizing = size_workers(input);
  write_output(flags.json ? pretty_json(to_json(input, sizing)) : to_text(input, sizing));
  return sizing.enough ? exit_done : exit_failed;
}

}  // namespace

Verb capacity_verb(Command program) {
  Command app = program.add_subcommand(
      "capacity", "Compute how many workers a load needs, and what they admit");
  auto flags = std::make_shared<Flags>();
  app.add_option("--work", flags->work, "mean work of a request on a worker")
      .type_name("duration")
      .required();
  app.add_option("--rate", flags->rate, "requests per second").type_name("rate").required();
  app.add_option("--share", flags->share, "of the ideal capacity that may be used")
      .type_name("PERCENT")
      .capture_default_str();
  app.add_option("--workers", flags->workers, "workers there are; as many as needed unless given")
      .type_name("N")
      .not_empty();
  app.add_flag("--json", flags->json, "print only JSON");
  app.footer(
      "Each figure is printed with its formula; docs/calculators.md explains them.\n"
      "Exit codes: 0 the workers are enough, 1 they are too few, 2 the arguments are invalid, 3 "
      "the\n"
      "answer cannot be written.\n"
      "Examples:\n"
      "  retrystorm capacity --work 40ms --rate 120 --share 75%\n"
      "  retrystorm capacity --work 40ms --rate 120 --share 75% --workers 8\n"
      "  retrystorm capacity --work 20ms --rate 1200 --workers 20 --json");
  return {app, [flags] { return run(*flags); }};
}

}  // namespace retrystorm
