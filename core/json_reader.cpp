#include "core/json_reader.hpp"

#include "core/error.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;

JsonObject::JsonObject(const json::value& value, std::string_view where, std::string path)
    : object_(value.if_object()), where_(where), path_(std::move(path)) {
  if (!object_) throw InvalidInput(where_, path_, "must be a JSON object");
}

JsonObject::JsonObject(const json::object& object, std::string_view where, std::string path)
    : object_(&object), where_(where), path_(std::move(path)) {}

std::string JsonObject::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void JsonObject::refuse(std::string_view key, std::string_view remedy) const {
  throw InvalidInput(where_, path_of(key), remedy);
}

const json::value* JsonObject::find(std::string_view key) const {
  return object_->if_contains({key.data(), key.size()});
}

const json::value& JsonObject::at(std::string_view key, std::string_view remedy) const {
  const json::value* value = find(key);
  if (!value) refuse(key, fmt::format("is missing; {}", remedy));
  return *value;
}

bool JsonObject::has(std::string_view key) const {
  return find(key) != nullptr;
}

bool JsonObject::given(std::string_view key) const {
  const json::value* value = find(key);
  return value && !value->is_null();
}

std::int64_t JsonObject::integer(std::string_view key, std::int64_t low, std::int64_t high) const {
  const std::string remedy =
      fmt::format("must be an integer from {} to {}, in plain digits", low, high);
  // A whole number beyond 64 bits arrives as uint64 or double and is refused with the others.
  const std::int64_t* value = at(key, remedy).if_int64();
  if (!value || *value < low || *value > high) refuse(key, remedy);
  return *value;
}

bool JsonObject::boolean(std::string_view key) const {
  constexpr std::string_view remedy = "must be true or false";
  const bool* value = at(key, remedy).if_bool();
  if (!value) refuse(key, remedy);
  return *value;
}

std::string JsonObject::text(std::string_view key) const {
  constexpr std::string_view remedy = "must be a string";
  const json::string* value = at(key, remedy).if_string();
  if (!value) refuse(key, remedy);
  return std::string(*value);
}

std::string JsonObject::filled_text(std::string_view key) const {
  constexpr std::string_view remedy = "must be a string that is not empty";
  const json::string* value = at(key, remedy).if_string();
  if (!value || value->empty()) refuse(key, remedy);
  return std::string(*value);
}

std::vector<std::string> JsonObject::texts(std::string_view key) const {
  constexpr std::string_view remedy = "must be a list of strings";
  const json::array* items = at(key, remedy).if_array();
  if (!items) refuse(key, remedy);
  std::vector<std::string> found = texts_if(key);
  if (found.size() != items->size()) refuse(key, remedy);
  return found;
}

JsonObject JsonObject::object(std::string_view key) const {
  return {at(key, "must be a JSON object"), where_, path_of(key)};
}

const json::array& JsonObject::list(std::string_view key) const {
  constexpr std::string_view remedy = "must be a list";
  const json::array* value = at(key, remedy).if_array();
  if (!value) refuse(key, remedy);
  return *value;
}

void JsonObject::each(std::string_view key,
                      const std::function<void(const JsonObject&)>& use) const {
  std::size_t index = 0;
  for (const json::value& item : list(key)) {
    use({item, where_, fmt::format("{}[{}]", path_of(key), index++)});
  }
}

void JsonObject::only(std::initializer_list<std::string_view> keys) const {
  for (const auto& member : *object_) {
    const std::string_view key = member.key();
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      refuse(key, fmt::format("is not a field here; known are {}", fmt::join(keys, ", ")));
    }
  }
}

std::optional<double> JsonObject::number(std::string_view key) const {
  const json::value* value = find(key);
  if (!value || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

std::int64_t JsonObject::whole(std::string_view key, std::int64_t otherwise) const {
  constexpr double most = 9007199254740992.0;
  const auto value = number(key);
  return value ? static_cast<std::int64_t>(std::clamp(*value, 0.0, most)) : otherwise;
}

bool JsonObject::flag(std::string_view key) const {
  const json::value* value = find(key);
  return value && value->is_bool() && value->get_bool();
}

std::string JsonObject::text_or(std::string_view key, std::string_view otherwise) const {
  const json::value* value = find(key);
  return std::string(value && value->is_string() ? std::string_view(value->get_string())
                                                 : otherwise);
}

std::vector<std::string> JsonObject::texts_if(std::string_view key) const {
  std::vector<std::string> found;
  const json::value* value = find(key);
  if (!value || !value->is_array()) return found;
  for (const json::value& item : value->get_array()) {
    if (item.is_string()) found.emplace_back(item.get_string());
  }
  return found;
}

std::optional<JsonObject> JsonObject::object_if(std::string_view key) const {
  const json::value* value = find(key);
  if (!value || !value->is_object()) return std::nullopt;
  return JsonObject(value->get_object(), where_, path_of(key));
}

}  // namespace retrystorm
