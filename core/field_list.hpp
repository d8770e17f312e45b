// What the declarations of field.hpp come to: included by the .cpp files that declare fields.
#pragma once

#include "core/choice.hpp"
#include "core/field.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace retrystorm {

// "timer, sleep or spin".
std::string words_text(const std::vector<std::string>& words);

// The outcomes after which an attempt may be tried again, and a set of them from their names: the
// remedy for a name that is none.
std::vector<std::string> retryable_words();
std::vector<std::string> words_of(OutcomeSet set);
std::string read_outcomes(OutcomeSet& set, const FieldValue& value);

// The number in a value; nothing for another kind.
std::optional<double> number_in(const FieldValue& value);
std::optional<double> rate_in(const FieldValue& value);
std::optional<Duration> duration_in(const FieldValue& value);
// A whole rate is written without a fraction, as people write it.
FieldValue rate_value(double rate);

inline bool is_word(const FieldValue& value, std::string_view word) {
  const auto* text = std::get_if<std::string>(&value);
  return text && *text == word;
}

// "20ms", and "24h" for whole hours.
std::string bound_text(Duration bound);

inline std::string span_text(std::string_view low, std::string_view high) {
  return fmt::format("from {} to {}", low, high);
}

template <typename T>
Member<T>::Member(Whole<T> m)
    : type("integer"), range(fmt::format("from {} to {}", m.low, m.high)) {
  get = [m](const T& t) { return FieldValue(t.*m.member); };
  set = [m, r = range](T& t, const FieldValue& value) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (!number || *number < m.low || *number > m.high) {
      return fmt::format("must be a whole number, {}", r);
    }
    t.*m.member = *number;
    return std::string();
  };
}

template <typename T>
Member<T>::Member(WholeOr<T> m)
    : type("integer"),
      range(fmt::format("from {} to {}, or {} ({})", m.low, m.high, m.word, m.note)) {
  get = [m](const T& t) {
    const auto& number = t.*m.member;
    return number ? FieldValue(*number) : FieldValue(std::string(m.word));
  };
  set = [m, r = range](T& t, const FieldValue& value) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (is_word(value, m.word)) {
      (t.*m.member).reset();
    } else if (number && *number >= m.low && *number <= m.high) {
      t.*m.member = *number;
    } else {
      return fmt::format("must be a whole number, {}", r);
    }
    return std::string();
  };
}

template <typename T>
Member<T>::Member(Number<T> m)
    : type("number"), range(span_text(format_number(m.low), format_number(m.high))) {
  get = [m](const T& t) { return FieldValue(t.*m.member); };
  set = [m, r = range](T& t, const FieldValue& value) {
    const auto number = number_in(value);
    if (!number || !(*number >= m.low && *number <= m.high)) {
      return fmt::format("must be a number, {}", r);
    }
    t.*m.member = *number;
    return std::string();
  };
}

template <typename T>
Member<T>::Member(Rate<T> m)
    : type("rate"), range(span_text(format_number(m.low), format_number(m.high))) {
  get = [m](const T& t) { return rate_value(t.*m.member); };
  set = [m, r = range](T& t, const FieldValue& value) {
    const auto rate = rate_in(value);
    if (!rate || !(*rate >= m.low && *rate <= m.high)) {
      return fmt::format("must be a rate per second such as 1200 or 1200/s, {}", r);
    }
    t.*m.member = *rate;
    return std::string();
  };
}

inline constexpr std::string_view duration_remedy =
    "must be a duration with its unit such as 20ms or 1.5s";

template <typename T>
Member<T>::Member(Length<T> m)
    : type("duration"), range(span_text(bound_text(m.low), bound_text(m.high))) {
  get = [m](const T& t) { return FieldValue(format_duration(t.*m.member)); };
  set = [m, r = range](T& t, const FieldValue& value) {
    const auto length = duration_in(value);
    if (!length || *length < m.low || *length > m.high) {
      return fmt::format("{}, {}", duration_remedy, r);
    }
    t.*m.member = *length;
    return std::string();
  };
}

template <typename T>
Member<T>::Member(LengthOr<T> m) : type("duration"), range(m.range) {
  get = [m](const T& t) {
    const auto& length = t.*m.member;
    return FieldValue(length ? format_duration(*length) : std::string(m.word));
  };
  set = [m](T& t, const FieldValue& value) {
    const auto length = duration_in(value);
    if (is_word(value, m.word)) {
      (t.*m.member).reset();
    } else if (length && *length >= m.low && *length <= m.high) {
      t.*m.member = *length;
    } else {
      return fmt::format("{}, {}", duration_remedy, m.range);
    }
    return std::string();
  };
}

template <typename T>
template <typename Enum>
Member<T>::Member(OneOf<T, Enum> m) : type("choice"), words(m.names.begin(), m.names.end()) {
  range = words_text(words);
  get = [m](const T& t) {
    return FieldValue(std::string(m.names.at(static_cast<std::size_t>(t.*m.member))));
  };
  set = [m, r = range](T& t, const FieldValue& value) {
    for (std::size_t i = 0; i < m.names.size(); ++i) {
      if (!is_word(value, m.names[i])) continue;
      t.*m.member = static_cast<Enum>(i);
      return std::string();
    }
    return fmt::format("must be {}", r);
  };
}

template <typename T>
Member<T>::Member(Outcomes<T> m) : type("set"), words(retryable_words()) {
  range = fmt::format("{}", fmt::join(words, ", "));
  get = [m](const T& t) { return FieldValue(words_of(t.*m.member)); };
  set = [m](T& t, const FieldValue& value) { return read_outcomes(t.*m.member, value); };
}

template <typename T>
Member<T>::Member(Texts<T> m) : type("texts"), range(m.range) {
  get = [m](const T& t) { return FieldValue(t.*m.member); };
  set = [m](T& t, const FieldValue& value) {
    const auto* list = std::get_if<std::vector<std::string>>(&value);
    if (!list) return fmt::format("must be a list of texts: {}", m.range);
    for (const std::string& text : *list) {
      if (std::string remedy = m.unfit(text); !remedy.empty()) return remedy;
    }
    t.*m.member = *list;
    return std::string();
  };
}

template <typename T>
Member<T>::Member(Custom<T> m) : type(m.type), range(m.range), get(m.get), set(m.set) {}

template <typename T>
FieldList::In<T> FieldList::in_table(const FieldTable<T>& table) {
  return {
      [in = table.in](const Scenario& s) -> const T& { return in(const_cast<Scenario&>(s)); },
      [in = table.in](Scenario& s, const std::function<std::string(T&)>& f) { return f(in(s)); }};
}

template <typename T>
Field& FieldList::add_one(std::string_view table, const In<T>& in, FieldOf<T> setting) {
  Field field;
  field.table = table;
  field.name = setting.name;
  field.type = setting.member.type;
  field.range = setting.member.range;
  field.words = setting.member.words;
  field.help = setting.help;
  field.engines = setting.engines;
  field.departs = setting.departs;
  if (setting.draws) {
    field.draws = [of = in.of, d = setting.draws](const Scenario& s) { return d(of(s)); };
  }
  field.get = [of = in.of, get = setting.member.get](const Scenario& s) { return get(of(s)); };
  field.set = [change = in.change, set = setting.member.set](Scenario& s, const FieldValue& value) {
    return change(s, [&](T& t) { return set(t, value); });
  };
  return fields_.emplace_back(std::move(field));
}

template <typename T, typename C>
void FieldList::add_choice(const FieldTable<T>& table, std::string_view name, Held<C> T::*member,
                           std::string_view help) {
  const In<T> in = in_table(table);
  add_choice_itself(table.name, in, name, member, help);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (add_alternative<T, C, std::tuple_element_t<I, typename C::Tuple>>(table.name, in, member),
     ...);
  }
  (std::make_index_sequence<C::size>());
}

template <typename T, typename C>
void FieldList::add_choice_itself(std::string_view table, const In<T>& in, std::string_view name,
                                  Held<C> T::*member, std::string_view help) {
  Field field;
  field.table = table;
  field.name = name;
  field.type = "choice";
  field.words.assign(C::names.begin(), C::names.end());
  field.range = words_text(field.words);
  field.help = help;
  const auto of = [of = in.of, member](const Scenario& s) -> const C& { return *(of(s).*member); };
  std::apply([&](const auto&... a) { field.engines = (std::decay_t<decltype(a)>::engines | ...); },
             typename C::Tuple());
  field.draws = [of](const Scenario& s) {
    return of(s).visit([](const auto& a) { return std::decay_t<decltype(a)>::draws; });
  };
  field.modelled_by = [of](const Scenario& s) {
    return of(s).visit([](const auto& a) { return std::decay_t<decltype(a)>::engines; });
  };
  field.get = [of](const Scenario& s) { return FieldValue(std::string(C::names[of(s).chosen()])); };
  field.set = [change = in.change, member, r = field.range](Scenario& s, const FieldValue& value) {
    for (std::size_t i = 0; i < C::size; ++i) {
      if (!is_word(value, C::names[i])) continue;
      return change(s, [&](T& t) {
        (t.*member).change([i](C& c) { c.choose(i); });
        return std::string();
      });
    }
    return fmt::format("must be {}", r);
  };
  fields_.push_back(std::move(field));
}

template <typename T, typename C, typename Alternative>
void FieldList::add_alternative(std::string_view table, const In<T>& in, Held<C> T::*member) {
  if constexpr (requires { Alternative::settings(); }) {
    const In<Alternative> inside = {
        [of = in.of, member](const Scenario& s) -> const Alternative& {
          return (of(s).*member)->template get<Alternative>();
        },
        [change = in.change, member](Scenario& s,
                                     const std::function<std::string(Alternative&)>& f) {
          return change(s, [&](T& t) {
            return (t.*member).change([&](C& c) { return f(c.template get<Alternative>()); });
          });
        }};
    for (FieldOf<Alternative>& setting : Alternative::settings()) {
      Field& field = add_one(table, inside, std::move(setting));
      field.modelled_by = [of = in.of, member, engines = field.engines](const Scenario& s) {
        const bool matters = (of(s).*member)->template is<Alternative>();
        return matters ? engines : every_engine;
      };
    }
  }
}

}  // namespace retrystorm
