#include "model/calculators/json_input.hpp"

#include "core/error.hpp"
#include "core/json.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

// Sees every key of a document and stops at the first that its object already has.
struct KeyWatch {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  using Error = json::error_code&;
  using Text = json::string_view;

  std::vector<std::unordered_set<std::string>> open;
  std::string key;
  std::optional<std::string> repeated;

  bool on_object_begin(Error) {
    open.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, Error) {
    open.pop_back();
    return true;
  }
  bool on_key_part(Text part, std::size_t, Error) {
    key.append(part.data(), part.size());
    return true;
  }
  bool on_key(Text part, std::size_t, Error error) {
    key.append(part.data(), part.size());
    if (!open.back().insert(key).second) {
      repeated = key;
      error = json::make_error_code(json::error::exception);
      return false;
    }
    key.clear();
    return true;
  }
  bool on_document_begin(Error) { return true; }
  bool on_document_end(Error) { return true; }
  bool on_array_begin(Error) { return true; }
  bool on_array_end(std::size_t, Error) { return true; }
  bool on_string_part(Text, std::size_t, Error) { return true; }
  bool on_string(Text, std::size_t, Error) { return true; }
  bool on_number_part(Text, Error) { return true; }
  bool on_int64(std::int64_t, Text, Error) { return true; }
  bool on_uint64(std::uint64_t, Text, Error) { return true; }
  bool on_double(double, Text, Error) { return true; }
  bool on_bool(bool, Error) { return true; }
  bool on_null(Error) { return true; }
  bool on_comment_part(Text, Error) { return true; }
  bool on_comment(Text, Error) { return true; }
};

}  // namespace

json::value parse_strict_json(std::string_view text, std::string_view where) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw InvalidInput(where, "", "is empty; it must be a JSON object");
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    throw InvalidInput(where, "", "begins with a byte order mark; it must be UTF-8 without one");
  }
  json::value value = parse_json(text, where);
  json::basic_parser<KeyWatch> watch{json::parse_options{}};
  json::error_code error;
  watch.write_some(false, text.data(), text.size(), error);
  if (const auto& key = watch.handler().repeated) {
    throw InvalidInput(where, *key, "stands twice in one object; each field must stand once");
  }
  return value;
}

InputObject::InputObject(const json::value& value, std::string_view where, std::string path)
    : object_(value.if_object()), where_(where), path_(std::move(path)) {
  if (!object_) throw InvalidInput(where_, path_, "must be a JSON object");
}

std::string InputObject::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void InputObject::refuse(std::string_view key, std::string_view remedy) const {
  throw InvalidInput(where_, path_of(key), remedy);
}

bool InputObject::has(std::string_view key) const {
  return object_->contains({key.data(), key.size()});
}

const json::value& InputObject::at(std::string_view key, std::string_view remedy) const {
  const json::value* value = object_->if_contains({key.data(), key.size()});
  if (!value) refuse(key, fmt::format("is missing; {}", remedy));
  return *value;
}

std::int64_t InputObject::integer(std::string_view key, std::int64_t low, std::int64_t high) const {
  const std::string remedy =
      fmt::format("must be an integer from {} to {}, in plain digits", low, high);
  // A whole number beyond 64 bits arrives as uint64 or double and is refused with the others.
  const std::int64_t* value = at(key, remedy).if_int64();
  if (!value || *value < low || *value > high) refuse(key, remedy);
  return *value;
}

bool InputObject::boolean(std::string_view key) const {
  constexpr std::string_view remedy = "must be true or false";
  const bool* value = at(key, remedy).if_bool();
  if (!value) refuse(key, remedy);
  return *value;
}

std::string InputObject::text(std::string_view key) const {
  constexpr std::string_view remedy = "must be a string that is not empty";
  const json::string* value = at(key, remedy).if_string();
  if (!value || value->empty()) refuse(key, remedy);
  return {value->data(), value->size()};
}

const json::array& InputObject::list(std::string_view key) const {
  constexpr std::string_view remedy = "must be a list";
  const json::array* value = at(key, remedy).if_array();
  if (!value) refuse(key, remedy);
  return *value;
}

void InputObject::only(std::initializer_list<std::string_view> keys) const {
  for (const auto& member : *object_) {
    const std::string_view key(member.key().data(), member.key().size());
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      refuse(key, fmt::format("is not a field here; known are {}", fmt::join(keys, ", ")));
    }
  }
}

}  // namespace retrystorm
