// A setting of a type that only those include who look into it: so a new policy compiles anew what
// acts by it, and not everything that holds a Scenario. Copies share the value until one changes.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace retrystorm {

// T need only be known where a value is made, read or changed.
template <typename T>
class Held {
 public:
  Held() = default;  // T as it is without settings
  template <typename A>
  requires(!std::is_same_v<A, Held>) Held(A value)
      : value_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const {
    static const T usual;
    return value_ ? *value_ : usual;
  }
  const T* operator->() const { return &**this; }

  // f(value), which may change it: for this one alone.
  template <typename F>
  decltype(auto) change(F&& f) {
    auto own = std::make_shared<T>(**this);
    T& value = *own;
    value_ = std::move(own);
    return std::forward<F>(f)(value);
  }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace retrystorm
