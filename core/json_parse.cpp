// Parsing JSON. Boost.JSON's own handler takes decimal fractions only to the last bit or two; a
// report that is read and printed again must be the same, so fractions are read exactly here. And
// it keeps the last of two members with one key, which is for the strict parser to see.
#include "core/error.hpp"
#include "core/json.hpp"

#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

// Builds the value from the parser's events. All text is handed over at once, so that no string,
// key or number comes in parts; on_..._part() is called only for pieces between escapes.
class ExactHandler {
 public:
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = max_object_size;
  static constexpr std::size_t max_string_size = max_object_size;

  explicit ExactHandler(bool keys_once) : keys_once_(keys_once) {}

  bool on_document_begin(json::error_code&) {
    stack_.reset();
    return true;
  }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) {
    if (keys_once_) keys_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t members, json::error_code&) {
    if (keys_once_) keys_.pop_back();
    stack_.push_object(members);
    return true;
  }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_array_end(std::size_t items, json::error_code&) {
    stack_.push_array(items);
    return true;
  }
  bool on_key_part(json::string_view text, std::size_t, json::error_code&) {
    if (keys_once_) key_ += text;
    stack_.push_chars(text);
    return true;
  }
  bool on_key(json::string_view text, std::size_t, json::error_code& error) {
    if (keys_once_) {
      key_ += text;
      if (!keys_.back().insert(key_).second) {
        repeated_ = key_;
        error = json::make_error_code(json::error::exception);
        return false;
      }
      key_.clear();
    }
    stack_.push_key(text);
    return true;
  }
  bool on_string_part(json::string_view text, std::size_t, json::error_code&) {
    stack_.push_chars(text);
    return true;
  }
  bool on_string(json::string_view text, std::size_t, json::error_code&) {
    stack_.push_string(text);
    return true;
  }
  bool on_number_part(json::string_view text, json::error_code&) {
    number_ += text;
    return true;
  }
  bool on_int64(std::int64_t number, json::string_view, json::error_code&) {
    number_.clear();
    stack_.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, json::string_view, json::error_code&) {
    number_.clear();
    stack_.push_uint64(number);
    return true;
  }
  bool on_double(double number, json::string_view text, json::error_code&) {
    number_ += text;
    // Out of range keeps Boost's answer: infinite, or zero.
    std::from_chars(number_.data(), number_.data() + number_.size(), number);
    number_.clear();
    stack_.push_double(number);
    return true;
  }
  bool on_bool(bool value, json::error_code&) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(json::error_code&) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

  json::value release() { return stack_.release(); }
  // The key at which an object had it for the second time.
  const std::optional<std::string>& repeated() const { return repeated_; }

 private:
  json::value_stack stack_;
  std::string number_;
  bool keys_once_;
  std::vector<std::unordered_set<std::string>> keys_;  // of the objects that are open
  std::string key_;
  std::optional<std::string> repeated_;
};

json::value parse(std::string_view text, std::string_view where, bool keys_once) {
  json::basic_parser<ExactHandler> parser(json::parse_options{}, keys_once);
  json::error_code error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (const auto& key = parser.handler().repeated()) {
    throw InvalidInput(where, *key, "stands twice in one object; each field must stand once");
  }
  if (!error && text.find_first_not_of(" \t\r\n", read) != std::string_view::npos) {
    error = json::error::extra_data;
  }
  if (error) {
    throw InvalidInput(where, "",
                       fmt::format("not valid JSON near byte {}: {}", read, error.message()));
  }
  return parser.handler().release();
}

}  // namespace

json::value parse_json(std::string_view text, std::string_view where) {
  return parse(text, where, false);
}

json::value parse_strict_json(std::string_view text, std::string_view where) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw InvalidInput(where, "", "is empty; it must be a JSON object");
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    throw InvalidInput(where, "", "begins with a byte order mark; it must be UTF-8 without one");
  }
  return parse(text, where, true);
}

}  // namespace retrystorm
