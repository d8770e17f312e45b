// One of several alternatives, chosen once a run: a discipline, a shape of backoff, a jitter. The
// alternatives are plain types in a list; which one acts is a number that visit() switches on, so
// that choosing costs a predicted branch an event, no virtual call and no template per combination.
//
// An alternative is a struct with
//   static constexpr std::string_view name;   as the field's value is written
//   static constexpr std::string_view help;   one line
//   static constexpr EngineSet engines;       who models it
//   static constexpr bool draws;              whether it makes a run random
// and, if it has settings of its own, members and `static std::vector<FieldOf<Self>> settings()`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace retrystorm {

template <typename... Alternatives>
class Choice {
 public:
  using Tuple = std::tuple<Alternatives...>;
  static constexpr std::size_t size = sizeof...(Alternatives);
  static constexpr std::array<std::string_view, size> names = {Alternatives::name...};

  constexpr Choice() = default;
  template <typename A>
  requires(std::is_same_v<A, Alternatives> || ...) constexpr Choice(A alternative)
      : chosen_(index_of<A>) {
    std::get<A>(all_) = std::move(alternative);
  }

  constexpr std::size_t chosen() const { return chosen_; }
  constexpr void choose(std::size_t index) { chosen_ = static_cast<std::uint8_t>(index); }
  template <typename A>
  constexpr bool is() const {
    return chosen_ == index_of<A>;
  }
  template <typename A>
  constexpr A& get() {
    return std::get<A>(all_);
  }
  template <typename A>
  constexpr const A& get() const {
    return std::get<A>(all_);
  }

  // f(alternative) for the chosen one.
  template <typename F>
  constexpr decltype(auto) visit(F&& f) const {
    return visit_from<0>(std::forward<F>(f));
  }

 private:
  template <typename A, std::size_t... I>
  static constexpr std::size_t find(std::index_sequence<I...>) {
    return ((std::is_same_v<A, std::tuple_element_t<I, Tuple>> ? I : 0) + ...);
  }
  template <typename A>
  static constexpr std::size_t index_of = find<A>(std::make_index_sequence<size>());

  template <std::size_t I, typename F>
  constexpr decltype(auto) visit_from(F&& f) const {
    if constexpr (I + 1 < size) {
      if (chosen_ != I) return visit_from<I + 1>(std::forward<F>(f));
    }
    return std::forward<F>(f)(std::get<I>(all_));
  }

  std::uint8_t chosen_ = 0;
  Tuple all_;
};

}  // namespace retrystorm
