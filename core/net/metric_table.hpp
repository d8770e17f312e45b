// The metrics of a process as one table. A row says how a number is called, what it means and where
// it stands; from the rows come the sum over threads, the families that Prometheus scrapes, the
// plain counts of a JSON summary, and which counts of a Tally Prometheus is a witness of. So a new
// count is a member, a row, and the place that counts it.
//
// `Now` is what a scrape sees: the member `counts`, summed over the threads, and whatever else.
#pragma once

#include "core/net/counter.hpp"
#include "core/net/metric_families.hpp"
#include "core/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

namespace retrystorm {

template <typename Now>
using CountsOf = std::remove_cvref_t<decltype(Now::counts)>;

// Where a row's number stands. A row with several cells (an array of counters) has one for each
// combination of its labels' values, the last label's value changing first.
template <typename Now>
struct MetricValue {
  MetricKind kind = MetricKind::gauge;
  // Of a member of the counts: its cells, one of them, and how to add up the member.
  std::size_t cells = 0;
  std::uint64_t (*cell)(const CountsOf<Now>&, std::size_t) = nullptr;
  void (*add)(CountsOf<Now>& all, const CountsOf<Now>& thread) = nullptr;
  std::size_t bytes = 0;
  double unit = 1;  // what a count of 1 is in the metric's unit
  // Of a histogram.
  const BucketBounds& (*bounds)(const Now&) = nullptr;
  const BucketCounts& (*buckets)(const Now&) = nullptr;
  // Of what is derived; without a value there is no sample.
  std::optional<double> (*derived)(const Now&) = nullptr;
};

template <typename Now>
struct MetricRow {
  std::string_view name{};  // rows of one name are one family; empty: summed, but not exported
  std::string_view help{};  // of the family, in its first row
  MetricValue<Now> value{};
  std::array<MetricLabel, 2> labels{};
  std::string_view witnesses{};  // the count of a Tally that the whole family is
  std::string_view json{};       // its member of the JSON summary
};

namespace detail {
template <typename T>
constexpr std::size_t cells = 1;
template <typename T, std::size_t N>
constexpr std::size_t cells<std::array<T, N>> = N* cells<T>;

inline std::uint64_t cell(const Counter& counter, std::size_t) {
  return counter.read();
}
template <typename T, std::size_t N>
std::uint64_t cell(const std::array<T, N>& all, std::size_t i) {
  return cell(all[i / cells<T>], i % cells<T>);
}

inline void add_up(Counter& all, const Counter& thread) {
  all.add(thread.read());
}
inline void add_up(BucketCounts& all, const BucketCounts& thread) {
  all.add(thread);
}
template <typename T, std::size_t N>
void add_up(std::array<T, N>& all, const std::array<T, N>& thread) {
  for (std::size_t i = 0; i < N; ++i) add_up(all[i], thread[i]);
}

inline std::optional<double> number(std::uint64_t n) {
  return static_cast<double>(n);
}
inline std::optional<double> number(std::optional<std::int64_t> n) {
  return n ? std::optional(static_cast<double>(*n)) : std::nullopt;
}
inline std::optional<double> number(Duration d) {
  return seconds(d);
}

template <typename Now, auto Member>
using MemberOf = std::remove_reference_t<decltype(std::declval<CountsOf<Now>&>().*Member)>;

template <typename Now, auto Member>
constexpr MetricValue<Now> summed(MetricKind kind) {
  MetricValue<Now> value{.kind = kind, .bytes = sizeof(MemberOf<Now, Member>)};
  value.add = [](CountsOf<Now>& all, const CountsOf<Now>& thread) {
    add_up(all.*Member, thread.*Member);
  };
  return value;
}
}  // namespace detail

// A Counter of the counts, or an array of them.
template <typename Now, auto Member>
constexpr MetricValue<Now> counted(double unit = 1) {
  auto value = detail::summed<Now, Member>(MetricKind::counter);
  value.cells = detail::cells<detail::MemberOf<Now, Member>>;
  value.cell = [](const CountsOf<Now>& c, std::size_t i) { return detail::cell(c.*Member, i); };
  value.unit = unit;
  return value;
}

// BucketCounts of the counts; `bounds`, without captures, finds their bounds.
template <typename Now, auto Member, typename Bounds>
constexpr MetricValue<Now> histogram(Bounds) {
  auto value = detail::summed<Now, Member>(MetricKind::histogram);
  value.bounds = [](const Now& now) -> const BucketBounds& { return Bounds{}(now); };
  value.buckets = [](const Now& now) -> const BucketCounts& { return now.counts.*Member; };
  return value;
}

// What `read`, without captures, makes of what there is: a whole number, a duration, or nothing.
template <typename Now, typename Read>
constexpr MetricValue<Now> derived(MetricKind kind, Read) {
  return {.kind = kind, .derived = [](const Now& now) { return detail::number(Read{}(now)); }};
}

// The timeout that histograms' buckets stand around: the generator's own, or the one that the
// service was told of. One name on both sides.
template <typename Now, typename Read>
constexpr MetricRow<Now> client_timeout_row(Read read) {
  return {.name = "retrystorm_client_timeout_seconds",
          .help = "How long a client waits for the answer to an attempt.",
          .value = derived<Now>(MetricKind::gauge, read)};
}

// Whether the rows sum all `bytes` of the counts, no member standing in two rows, and whether each
// row's labels fit its cells. (That a family has its help, tests say by its name.)
template <typename Now>
constexpr bool complete(std::span<const MetricRow<Now>> rows,
                        std::size_t bytes = sizeof(CountsOf<Now>)) {
  std::size_t summed = 0;
  for (const MetricRow<Now>& row : rows) {
    summed += row.value.bytes;
    if (row.value.cells > 0 && combinations(row.labels) != row.value.cells) return false;
  }
  return summed == bytes;
}

// Adds what one thread counted to all, in the order of the rows: what is counted last is to be read
// first.
template <typename Now>
void add_up(std::span<const MetricRow<Now>> rows, CountsOf<Now>& all, const CountsOf<Now>& thread) {
  for (const MetricRow<Now>& row : rows) {
    if (row.value.add != nullptr) row.value.add(all, thread);
  }
}

// The parts that the counts add up from, told apart by a label: the number of each.
template <typename Now>
struct MetricParts {
  std::string_view label;
  std::vector<Now> parts;
};

namespace detail {
template <typename Now>
void add_samples(MetricFamilies& families, const MetricRow<Now>& row, const Now& now,
                 const MoreLabel& more) {
  const MetricValue<Now>& value = row.value;
  if (value.buckets != nullptr) {
    families.histogram(row.name, row.help, value.bounds(now), value.buckets(now), more);
  } else if (value.derived != nullptr) {
    if (const auto n = value.derived(now)) {
      families.sample(row.name, row.help, value.kind, row.labels, 0, *n, more);
    }
  }
  for (std::size_t i = 0; i < value.cells; ++i) {
    const double n = static_cast<double>(value.cell(now.counts, i)) * value.unit;
    families.sample(row.name, row.help, value.kind, row.labels, i, n, more);
  }
}
}  // namespace detail

// With parts, what is counted has samples of each of them in place of the whole; what is derived
// stays whole.
template <typename Now>
std::vector<prometheus::MetricFamily> families_of(std::span<const MetricRow<Now>> rows,
                                                  const Now& now,
                                                  const MetricParts<Now>& parts = {}) {
  MetricFamilies families;
  for (const MetricRow<Now>& row : rows) {
    if (row.name.empty()) continue;
    if (parts.parts.empty() || row.value.add == nullptr) {
      detail::add_samples(families, row, now, {});
      continue;
    }
    for (std::size_t p = 0; p < parts.parts.size(); ++p) {
      detail::add_samples(families, row, parts.parts[p], {parts.label, std::to_string(p)});
    }
  }
  return std::move(families).all();
}

// Puts the counts that have a JSON member into `object`: each as its sum, and where it has several
// cells also one by one, as "refused_by_reason".
template <typename Now>
void put_counts(boost::json::object& object, std::span<const MetricRow<Now>> rows,
                const CountsOf<Now>& counts) {
  for (const MetricRow<Now>& row : rows) {
    if (row.json.empty()) continue;
    std::uint64_t sum = 0;
    boost::json::object each;
    const MetricLabel& last = row.labels[row.labels[1].name.empty() ? 0 : 1];
    for (std::size_t i = 0; i < row.value.cells; ++i) {
      const std::uint64_t n = row.value.cell(counts, i);
      sum += n;
      if (row.value.cells > 1 && !last.value(i).empty()) each[last.value(i)] = n;
    }
    object[row.json] = sum;
    if (!each.empty()) {
      object[std::string(row.json) + "_by_" + std::string(last.name)] = std::move(each);
    }
  }
}

// What the rows say of counts of a Tally.
template <typename Now>
std::vector<MetricWitness> witnesses_of(std::span<const MetricRow<Now>> rows) {
  std::vector<MetricWitness> all;
  for (const MetricRow<Now>& row : rows) {
    if (!row.witnesses.empty()) all.push_back({row.witnesses, row.name, {}, {}});
    for (const MetricLabel& label : row.labels) {
      for (std::size_t i = 0; i < label.size(); ++i) {
        if (!label.count(i).empty()) {
          all.push_back({label.count(i), row.name, label.name, label.value(i)});
        }
      }
    }
  }
  return all;
}

}  // namespace retrystorm
