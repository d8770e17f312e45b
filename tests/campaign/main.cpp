// The part of the campaign that needs no sockets: draws scenarios, valid and invalid, and judges
// what the program makes of them. The same seed is the same campaign.
//   campaign N SEED             N cases; every third is spoilt, every thirtieth goes through the
//                               real program too
//   campaign --check LINE...    one case, by the lines of its scenario file ("client.rate = 700");
//                               a first argument "!NAME" says that it must be refused by that name
//   campaign --live N SEED      draws N scenarios for runs over loopback and prints them as JSON
// Exit code 1 where something is wrong; each fault with the command that repeats it.
#include "core/units.hpp"
#include "tests/campaign/draw.hpp"
#include "tests/campaign/judge.hpp"
#include "tests/campaign/shrink.hpp"
#include "tests/campaign/spoil.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm::campaign {
namespace {

constexpr std::uint64_t most_faults = 10;  // a campaign that finds so much need not go on

void print_usage() {
  fmt::print(stderr,
             "usage: campaign N SEED | campaign --check LINE... | campaign --live N SEED\n");
}

bool has_kind(const std::vector<Fault>& faults, const std::string& kind) {
  return std::any_of(faults.begin(), faults.end(),
                     [&](const Fault& fault) { return fault.kind == kind; });
}

// The fault, and the command that repeats it, shrunk.
void tell(const Case& c, const Fault& fault, const Judgement& how, std::uint64_t number) {
  fmt::print("case {}: {}\n", number, fault.text);
  std::fflush(stdout);
  Tried ignored;
  const Case least =
      shrink(c, [&](const Case& less) { return has_kind(judge(less, how, ignored), fault.kind); });
  fmt::print("  tests/campaign/run {}\n", arguments_of(least));
  std::fflush(stdout);
}

int campaign(std::uint64_t count, std::uint64_t seed) {
  Tried tried;
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < count && found < most_faults; ++i) {
    const Case c = i % 3 == 2 ? spoil(seed, i) : draw(seed, i);
    const Judgement how{i % 30 == 0 || i % 30 == 2};
    const std::vector<Fault> faults = judge(c, how, tried);
    if (faults.empty()) continue;
    ++found;
    tell(c, faults.front(), how, i);
  }
  fmt::print(
      "campaign {} {}: {} cases, {} refused, {} answered with {} answers, {} pairs of answers, {} "
      "not asked for their cost, {} by the program, {} with faults\n",
      count, seed, tried.cases, tried.refused, tried.answered, tried.answers, tried.compared,
      tried.unaffordable, tried.by_program, found);
  return found == 0 ? 0 : 1;
}

int check(const std::vector<std::string>& lines) {
  Tried tried;
  const std::vector<Fault> faults = judge(case_from(lines), {true}, tried);
  for (const Fault& fault : faults) fmt::print("{}\n", fault.text);
  if (faults.empty()) fmt::print("nothing is wrong: {} answers\n", tried.answers);
  return faults.empty() ? 0 : 1;
}

int print_live(std::uint64_t count, std::uint64_t seed) {
  boost::json::array list;
  for (std::uint64_t i = 0; i < count; ++i) {
    boost::json::array lines;
    for (const Line& line : draw_live(seed, i).lines) {
      lines.emplace_back(fmt::format("{} = {}", line.key, line.value));
    }
    list.push_back(std::move(lines));
  }
  fmt::print("{}\n", boost::json::serialize(list));
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "--check") {
    return check({arguments.begin() + 1, arguments.end()});
  }
  const bool live = !arguments.empty() && arguments[0] == "--live";
  const std::size_t first = live ? 1 : 0;
  const auto number = [&](std::size_t i) {
    return i < arguments.size() ? parse_integer(arguments[i]) : std::nullopt;
  };
  const auto count = number(first);
  const auto seed = number(first + 1);
  if (!count || *count < 0 || !seed || *seed < 0 || arguments.size() != first + 2) {
    print_usage();
    return 2;
  }
  const auto n = static_cast<std::uint64_t>(*count);
  const auto s = static_cast<std::uint64_t>(*seed);
  return live ? print_live(n, s) : campaign(n, s);
}

}  // namespace
}  // namespace retrystorm::campaign

int main(int argc, char** argv) {
  return retrystorm::campaign::run({argv + 1, argv + argc});
}
