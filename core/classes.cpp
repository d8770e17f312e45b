#include "core/classes.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retrystorm {
namespace {

constexpr double largest_share = 1e6;

// The extreme of the classes' timeouts that `better` prefers.
template <typename Better>
Duration best_timeout(const Scenario& s, Better better) {
  if (s.classes.empty()) return s.client.timeout;
  Duration best = s.classes.front().client.timeout;
  for (const ClientClass& c : s.classes) best = better(best, c.client.timeout);
  return best;
}

}  // namespace

bool is_set_by_class(const Field& field) {
  return field.table == "client" &&
         std::find(fields_of_all_classes.begin(), fields_of_all_classes.end(), field.path()) ==
             fields_of_all_classes.end();
}

std::size_t class_count(const Scenario& s) {
  return std::max<std::size_t>(1, s.classes.size());
}

Scenario scenario_of_class(const Scenario& s, std::size_t c) {
  Scenario one = s;
  one.classes.clear();
  if (!s.classes.empty()) one.client = s.classes[c].client;
  return one;
}

Duration longest_timeout(const Scenario& s) {
  return best_timeout(s, [](Duration a, Duration b) { return std::max(a, b); });
}

Duration shortest_timeout(const Scenario& s) {
  return best_timeout(s, [](Duration a, Duration b) { return std::min(a, b); });
}

std::string unfit_class_work(std::optional<Duration> work) {
  using namespace std::chrono_literals;
  if (work && *work >= 1us && *work <= 1h && *work % 1us == 0ns) return {};
  return "must be a duration of whole microseconds such as 20ms, from 1us to 1h";
}

void validate_classes(const Scenario& s, std::string_view where) {
  if (s.classes.empty()) return;
  if (s.classes.size() == 1 || s.classes.size() > most_classes) {
    throw InvalidInput(
        where, "class",
        fmt::format("must be two classes to {}: one alone is [client] itself; got {}", most_classes,
                    s.classes.size()));
  }
  for (std::size_t c = 0; c < s.classes.size(); ++c) {
    const auto path = [&](std::string_view name) { return fmt::format("class[{}].{}", c, name); };
    const double share = s.classes[c].share;
    if (!(share > 0 && share <= largest_share)) {
      throw InvalidInput(
          where, path("share"),
          fmt::format("must be above 0, at most {:g}; got {}", largest_share, share));
    }
    if (s.classes[c].work && s.service.recorded_work) {
      throw InvalidInput(where, path("work"), "must not stand beside service.recorded_work");
    }
    const Scenario one = scenario_of_class(s, c);
    for (const std::string_view shared : fields_of_all_classes) {
      const Field& field = *find_field(shared);
      if (field.get(one) == field.get(s)) continue;
      throw InvalidInput(where, path(field.name),
                         fmt::format("is one for all classes, {}; got {}", to_text(field.get(s)),
                                     to_text(field.get(one))));
    }
  }
}

void refuse_classes(const Scenario& s, std::string_view what) {
  if (s.classes.empty()) return;
  throw InvalidInput(what, "class",
                     fmt::format("needs one class of clients; got {}", s.classes.size()));
}

}  // namespace retrystorm
