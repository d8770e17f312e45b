// Reading JSON that anybody may have written: an object of a document that knows where it stands,
// so that every refusal names the member ("report.json: arms[3].tries[0].status"). What must be
// there is read strictly and throws InvalidInput; what may be missing has a reader that never does.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

namespace retrystorm {

inline constexpr std::int64_t most_integer = std::numeric_limits<std::int64_t>::max();

// A view: the document and the name of the place it came from must outlive it.
class JsonObject {
 public:
  // `where` is the document's file or place, `path` the object's in it: "", or "requests[3]".
  // Throws InvalidInput if `value` is no object.
  JsonObject(const boost::json::value& value, std::string_view where, std::string path = {});
  JsonObject(const boost::json::object& object, std::string_view where, std::string path = {});

  // ---- what must be there; each throws InvalidInput if it is missing or of another kind ----

  // Between `low` and `high`. A whole number in another spelling (1.0, 1e3) is not an integer here,
  // nor is a boolean.
  std::int64_t integer(std::string_view key, std::int64_t low,
                       std::int64_t high = most_integer) const;
  bool boolean(std::string_view key) const;
  std::string text(std::string_view key) const;
  std::string filled_text(std::string_view key) const;  // not empty
  std::vector<std::string> texts(std::string_view key) const;
  JsonObject object(std::string_view key) const;
  const boost::json::array& list(std::string_view key) const;
  // Calls `use` for each item of a list of objects.
  void each(std::string_view key, const std::function<void(const JsonObject&)>& use) const;
  // The object's keys must be among `keys`.
  void only(std::initializer_list<std::string_view> keys) const;

  // ---- what may be missing; another kind is as good as missing ----

  std::optional<double> number(std::string_view key) const;
  // From 0 to 2^53, the nearer of them for what is outside; a fraction is cut off.
  std::int64_t whole(std::string_view key, std::int64_t otherwise = 0) const;
  bool flag(std::string_view key) const;  // false if missing
  std::string text_or(std::string_view key, std::string_view otherwise) const;
  std::vector<std::string> texts_if(std::string_view key) const;  // of a list, those that are
  std::optional<JsonObject> object_if(std::string_view key) const;

  // True if the member is there, be it null.
  bool has(std::string_view key) const;
  // True if it is there and not null.
  bool given(std::string_view key) const;

  const boost::json::object& members() const { return *object_; }
  std::string_view where() const { return where_; }
  // "requests[3].cost".
  std::string path_of(std::string_view key) const;
  [[noreturn]] void refuse(std::string_view key, std::string_view remedy) const;

 private:
  const boost::json::value* find(std::string_view key) const;
  const boost::json::value& at(std::string_view key, std::string_view remedy) const;

  const boost::json::object* object_;
  std::string_view where_;
  std::string path_;
};

}  // namespace retrystorm
