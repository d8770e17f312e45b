// retrystorm fields: the reference page of the scenario's fields, from their one registry.
#include "core/fields.hpp"

#include "core/json.hpp"
#include "experiments/verbs/standard_output.hpp"
#include "experiments/verbs/verb.hpp"

#include <memory>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

boost::json::value as_json() {
  boost::json::array list;
  const Scenario defaults;
  for (const Field& field : fields()) {
    boost::json::array engines;
    for (std::size_t e = 0; e < engine_names.size(); ++e) {
      if ((field.engines & engine_bit(static_cast<Engine>(e))) != 0) {
        engines.emplace_back(std::string(engine_names[e]));
      }
    }
    list.push_back({{"field", field.path()},
                    {"flag", field.flag()},
                    {"type", std::string(field.type)},
                    {"default", to_text(field.get(defaults))},
                    {"range", std::string(field.range)},
                    {"engines", std::move(engines)},
                    {"help", std::string(field.help)}});
  }
  return list;
}

}  // namespace

Verb fields_verb(Command program) {
  Command app = program.add_subcommand("fields", "Print the reference page of a scenario's fields");
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print only JSON");
  app.footer(
      "Examples:\n"
      "  retrystorm fields              as Markdown\n"
      "  retrystorm fields --json");
  return {app, [json] {
            write_output(*json ? pretty_json(as_json()) : fields_markdown());
            return 0;
          }};
}

}  // namespace retrystorm
