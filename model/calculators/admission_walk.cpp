#include "model/calculators/admission_walk.hpp"

#include "core/json_reader.hpp"

#include <unordered_set>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

std::string quoted(std::string_view text) {
  return json::serialize(json::string_view(text.data(), text.size()));
}

// ["a", "b"] of the ids that `id` finds in the items.
template <typename Items, typename Id>
std::string id_list(const Items& items, Id id) {
  std::string text = "[";
  for (const auto& item : items) {
    if (text.size() > 1) text += ", ";
    text += quoted(id(item));
  }
  return text + "]";
}

std::string_view itself(std::string_view id) {
  return id;
}

}  // namespace

AdmissionInput admission_input(const json::value& document, std::string_view where) {
  const JsonObject top(document, where);
  AdmissionInput input;
  input.limits.capacity = top.integer("capacity", 1);
  input.limits.tokens_per_second = top.integer("tokens_per_second", 1);
  input.limits.concurrency = top.integer("concurrency", 1);
  input.requests.reserve(top.list("requests").size());  // the ids below stay where they are
  std::unordered_set<std::string_view> ids;
  std::int64_t latest = 0;
  top.each("requests", [&](const JsonObject& item) {
    input.requests.push_back({item.filled_text("id"), item.integer("at_ms", 0),
                              item.integer("cost", 1), item.integer("duration_ms", 1)});
    const AdmissionRequest& request = input.requests.back();
    if (!ids.insert(request.id).second) item.refuse("id", "is taken by an earlier request");
    if (request.at_ms < latest) {
      item.refuse("at_ms", fmt::format("runs backwards: it must be at least {}", latest));
    }
    latest = request.at_ms;
  });
  return input;
}

void write_admission(const AdmissionInput& input,
                     const std::function<void(std::string_view)>& write) {
  std::string_view separator = "";
  write("{\n  \"trace\": [");
  const AdmissionEnd end = walk_admission(input, [&](const AdmissionStep& step) {
    write(
        fmt::format("{}\n    {{\"id\": {}, \"at_ms\": {}, \"decision\": \"{}\", \"credits\": {}, "
                    "\"active\": {}, \"finished_now\": {}}}",
                    separator, quoted(step.request->id), step.request->at_ms,
                    decision_name(step.refusal), step.credits, id_list(step.active, itself),
                    id_list(step.finished_now, [](const AdmissionCompletion& c) { return c.id; })));
    separator = ",";
  });
  write(input.requests.empty() ? "],\n  \"completions\": [" : "\n  ],\n  \"completions\": [");
  separator = "";
  for (const AdmissionCompletion& c : end.completions) {
    write(fmt::format("{}\n    {{\"id\": {}, \"at_ms\": {}}}", separator, quoted(c.id), c.at_ms));
    separator = ",";
  }
  write(end.completions.empty() ? "]" : "\n  ]");
  write(
      fmt::format(",\n  \"pending_at_last_arrival\": {},\n  \"credits_at_last_arrival\": {}\n}}\n",
                  id_list(end.pending, itself), end.credits));
}

}  // namespace retrystorm
