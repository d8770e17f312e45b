// A Scenario in JSON, by table, with its classes of clients: stable, keys may be added, none
// renamed.
#include "core/classes.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "core/tally.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

FieldValue field_value_from_json(const JsonObject& object, std::string_view key) {
  const json::value& value = object.members().at({key.data(), key.size()});
  if (value.is_int64()) return value.get_int64();
  if (value.is_double()) return value.get_double();
  if (value.is_string()) return object.text(key);
  if (value.is_array()) return object.texts(key);
  object.refuse(key, "must be a number, a string or a list of strings");
}

json::value to_json_value(const FieldValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return json::string(*text);
  json::array list;
  for (const std::string& word : std::get<std::vector<std::string>>(value)) {
    list.emplace_back(json::string(word));
  }
  return list;
}

json::object class_to_json(const Scenario& scenario, std::size_t c) {
  const Scenario one = scenario_of_class(scenario, c);
  json::object object{{"share", json_number(scenario.classes[c].share)}};
  if (const auto& work = scenario.classes[c].work) object["work"] = format_duration(*work);
  for (const Field& field : fields()) {
    if (is_set_by_class(field)) {
      object[{field.name.data(), field.name.size()}] = to_json_value(field.get(one));
    }
  }
  return object;
}

// A class is [client] but for what it sets.
ClientClass class_from_json(const JsonObject& object, const Scenario& scenario) {
  Scenario one = scenario;
  one.classes.clear();
  ClientClass result;
  for (const auto& [key, value] : object.members()) {
    if (key == "share") {
      const auto share = object.number(key);
      if (!share) object.refuse(key, "must be a number");
      result.share = *share;
      continue;
    }
    if (key == "work") {
      result.work = parse_duration(object.text(key));
      const std::string remedy = unfit_class_work(result.work);
      if (!remedy.empty()) object.refuse(key, remedy);
      continue;
    }
    const Field* field = find_field(fmt::format("client.{}", std::string_view(key)));
    if (!field || !is_set_by_class(*field)) object.refuse(key, "no such field of a class");
    set_field(one, *field, field_value_from_json(object, key), object.where(), object.path_of(key));
    result.own.emplace_back(key);
  }
  result.client = one.client;
  return result;
}

}  // namespace

json::value to_json(const Scenario& scenario) {
  json::object object;
  for (const Field& field : fields()) {
    json::object* at = &object;
    if (!field.table.empty()) {
      json::value& table = object[{field.table.data(), field.table.size()}];
      if (!table.is_object()) table = json::object();
      at = &table.get_object();
    }
    (*at)[{field.name.data(), field.name.size()}] = to_json_value(field.get(scenario));
  }
  if (!scenario.classes.empty()) {
    json::array classes;
    for (std::size_t c = 0; c < scenario.classes.size(); ++c) {
      classes.push_back(class_to_json(scenario, c));
    }
    object["class"] = std::move(classes);
  }
  return object;
}

Scenario scenario_from_json(const JsonObject& object) {
  Scenario scenario;
  const auto set = [&](const JsonObject& table, std::string_view key, const std::string& path) {
    const Field* field = find_field(path);
    if (!field) table.refuse(key, "no such field");
    set_field(scenario, *field, field_value_from_json(table, key), object.where(),
              object.path_of(path));
  };
  for (const auto& [key, value] : object.members()) {
    if (key == "class") continue;  // after [client], which it builds on
    const auto table = object.object_if(key);
    if (!table) {
      set(object, key, std::string(key));
      continue;
    }
    for (const auto& [name, inner] : table->members()) {
      set(*table, name, fmt::format("{}.{}", std::string_view(key), std::string_view(name)));
    }
  }
  if (object.has("class")) {
    std::vector<ClientClass> classes;
    object.each("class", [&](const JsonObject& item) {
      classes.push_back(class_from_json(item, scenario));
    });
    scenario.classes = std::move(classes);
  }
  validate(scenario, object.where());
  return scenario;
}

}  // namespace retrystorm
