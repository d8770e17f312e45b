#include "core/json.hpp"

#include <algorithm>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

bool is_flat(const json::value& value) {
  const auto scalar = [](const json::value& v) { return !v.is_structured(); };
  if (const auto* list = value.if_array()) {
    return list->size() <= 12 && std::all_of(list->begin(), list->end(), scalar);
  }
  if (const auto* object = value.if_object()) {
    return object->size() <= 8 && std::all_of(object->begin(), object->end(), [&](const auto& m) {
             return scalar(m.value()) &&
                    !(m.value().is_string() && m.value().as_string().size() > 40);
           });
  }
  return true;
}

// Boost writes 0.25 as 2.5E-1.
std::string scalar_text(const json::value& value) {
  const double* number = value.if_double();
  return number && std::isfinite(*number) ? fmt::format("{}", *number) : json::serialize(value);
}

void print_flat_array(std::string& out, const json::array& list) {
  out += '[';
  std::string_view separator;
  for (const json::value& item : list) {
    out += separator;
    out += scalar_text(item);
    separator = ", ";
  }
  out += ']';
}

void print(std::string& out, const json::value& value, std::size_t depth) {
  if (is_flat(value)) {
    if (const auto* object = value.if_object()) {
      out += '{';
      std::string_view separator;
      for (const auto& [key, inner] : *object) {
        out += fmt::format("{}{}: {}", separator, json::serialize(json::string(key)),
                           scalar_text(inner));
        separator = ", ";
      }
      out += '}';
    } else if (const auto* list = value.if_array()) {
      print_flat_array(out, *list);
    } else {
      out += scalar_text(value);
    }
    return;
  }
  const std::string indent(2 * depth + 2, ' ');
  const bool is_array = value.is_array();
  out += is_array ? "[\n" : "{\n";
  std::string_view separator;
  const auto begin_item = [&] {
    out += separator;
    out += indent;
    separator = ",\n";
  };
  if (is_array) {
    for (const json::value& item : value.get_array()) {
      begin_item();
      print(out, item, depth + 1);
    }
  } else {
    for (const auto& [key, inner] : value.get_object()) {
      begin_item();
      out += json::serialize(json::string(key)) + ": ";
      print(out, inner, depth + 1);
    }
  }
  out += fmt::format("\n{}{}", std::string(2 * depth, ' '), is_array ? ']' : '}');
}

}  // namespace

std::string pretty_json(const json::value& value) {
  std::string text;
  print(text, value, 0);
  return text + "\n";
}

std::string value_text(const json::value& value) {
  if (const auto* text = value.if_string()) return std::string(*text);
  if (const auto* list = value.if_array()) {
    std::string all;
    for (const json::value& item : *list) all += (all.empty() ? "" : ", ") + value_text(item);
    return all;
  }
  return json::serialize(value);
}

json::value json_number(std::optional<double> number) {
  if (!number || !std::isfinite(*number)) return nullptr;
  if (*number == std::floor(*number) && std::abs(*number) < 9007199254740992.0) {
    return static_cast<std::int64_t>(*number);
  }
  return *number;
}

}  // namespace retrystorm
