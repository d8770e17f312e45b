#include "core/recordings.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/log_time.hpp"
#include "core/recording_source.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>

#include <fmt/format.h>

namespace retrystorm {
namespace {
using namespace std::chrono_literals;

constexpr std::string_view arrivals_field = "client.recorded";
constexpr std::string_view work_field = "service.recorded_work";
constexpr Duration shortest_run = 1ms;
constexpr Duration longest_run = 24h;
constexpr double least_rate = 0.001;
constexpr double most_rate = 1e7;
constexpr Duration least_mean_work = 1us;
constexpr Duration longest_work = 1h;
constexpr std::size_t longest_line = 65'536;

// The lines of a file that hold something, each with its number. Throws what `take` throws.
class Lines {
 public:
  Lines(std::string file, std::string_view field) : file_(std::move(file)), field_(field) {}

  template <typename Take>
  void each(Take&& take) {
    std::string line;
    read_pieces(file_, [&](std::string_view piece) {
      for (;;) {
        const std::size_t end = piece.find('\n');
        line += piece.substr(0, end);
        if (line.size() > longest_line) {
          ++number_;
          refuse(fmt::format("must have lines of at most {} bytes", longest_line));
        }
        if (end == piece.npos) return;
        finish(line, take);
        piece.remove_prefix(end + 1);
      }
    });
    if (!line.empty()) finish(line, take);
    if (held_ == 0)
      throw InvalidInput(file_, field_, "is empty: it must have a value on each line");
  }

  [[noreturn]] void refuse(std::string_view remedy) const {
    throw InvalidInput(fmt::format("{}:{}", file_, number_), field_, remedy);
  }

 private:
  template <typename Take>
  void finish(std::string& line, Take& take) {
    ++number_;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin != line.npos && line[begin] != '#') {
      if (++held_ > most_recorded) refuse(fmt::format("is beyond {} values", most_recorded));
      take(std::string_view(line));
    }
    line.clear();
  }

  std::string file_;
  std::string_view field_;
  std::size_t number_ = 0;
  std::size_t held_ = 0;
};

// A column of a line, from 1: between blanks, or between commas where a line has no blanks. Quotes
// and brackets around it are none of it.
std::string_view column_of(std::string_view line, std::size_t wanted) {
  const std::string_view between = line.find_first_of(" \t") == line.npos ? "," : " \t";
  std::string_view column;
  for (std::size_t n = 0; n < wanted; ++n) {
    if (between.size() > 1) {
      line.remove_prefix(std::min(line.find_first_not_of(between), line.size()));
    }
    if (line.empty()) return {};
    const std::size_t end = std::min(line.find_first_of(between), line.size());
    column = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  constexpr std::string_view marks = "\"'[]";
  const std::size_t from = column.find_first_not_of(marks);
  if (from == column.npos) return {};
  return column.substr(from, column.find_last_not_of(marks) + 1 - from);
}

// With its own unit, or a plain number in the source's.
std::optional<Duration> length_in(std::string_view text, std::string_view unit) {
  const bool plain = text.find_first_not_of("0123456789.") == text.npos;
  if (!plain) return parse_duration(text);
  return parse_duration(fmt::format("{}{}", text, unit));
}

struct ReadInstant {
  std::int64_t ns;
  bool dated;
};

std::optional<ReadInstant> instant_in(std::string_view line, const RecordingSource& source) {
  const std::size_t at = source.column.value_or(1);
  const std::string_view text = column_of(line, at);
  if (const auto length = length_in(text, source.unit)) return ReadInstant{length->count(), false};
  if (const auto time = parse_log_time(text, column_of(line, at + 1))) {
    return ReadInstant{*time, true};
  }
  return std::nullopt;
}

RecordingSource source_of(std::string_view text, std::string_view field) {
  std::string remedy;
  RecordingSource source = read_source(text, remedy);
  if (!remedy.empty()) throw InvalidInput(text, field, remedy);
  return source;
}

// The last instant, and one mean gap more, as an even schedule would end.
Duration length_of(const RecordedInstants& instants) {
  const std::int64_t gaps = static_cast<std::int64_t>(instants.size()) - 1;
  const Duration span = instants.back() - instants.front();
  const Duration gap = gaps == 0 ? Duration::zero() : Duration((span.count() + gaps - 1) / gaps);
  const Duration length = since_start(instants.back()) + std::max(gap, Duration(1));
  return std::clamp(length, shortest_run, longest_run);
}

Duration mean_of(const RecordedTimes& recorded) {
  long double sum = 0;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < recorded.times.size(); ++i) {
    sum += static_cast<long double>(recorded.times[i].count()) *
           static_cast<long double>(recorded.up_to[i] - before);
    before = recorded.up_to[i];
  }
  const auto mean = static_cast<std::int64_t>(sum / static_cast<long double>(before));
  return std::max<Duration>(least_mean_work, Duration(mean));
}

// What stands behind a work time: how often it was seen.
std::uint64_t count_in(const Lines& lines, std::string_view line, const RecordingSource& source) {
  const std::string_view text = source.column ? std::string_view() : column_of(line, 2);
  if (text.empty()) return 1;
  const auto count = parse_integer(text);
  if (!count || *count < 1 || *count > 1'000'000'000'000) {
    lines.refuse(
        fmt::format("must have a count from 1 to 1000000000000 behind the work time; got "
                    "'{}'",
                    printable(text)));
  }
  return static_cast<std::uint64_t>(*count);
}

}  // namespace

RecordedInstants read_instants(std::string_view text) {
  const RecordingSource source = source_of(text, arrivals_field);
  Lines lines(source.file, arrivals_field);
  RecordedInstants instants;
  std::int64_t start = 0;  // of the run, on the recording's clock
  bool dated = false;
  lines.each([&](std::string_view line) {
    const auto read = instant_in(line, source);
    if (!read || (!instants.empty() && read->dated != dated)) {
      lines.refuse(fmt::format(
          "must have in column {} an instant such as 1.25, 1.25s, [10/Oct/2026:13:55:36 +0000] or "
          "2026-10-10T13:55:36.250Z, of one kind on all lines; got '{}'",
          source.column.value_or(1), printable(column_of(line, source.column.value_or(1)))));
    }
    if (instants.empty()) {
      dated = read->dated;
      if (dated || source.first) start = read->ns;
    }
    const Duration at(read->ns - start);
    if (!instants.empty() && instant_at(at) < instants.back()) {
      lines.refuse("must not be earlier than the line before: sort the file by its instants");
    }
    if (at >= longest_run) {
      lines.refuse(fmt::format("must be within 24h of the start{}",
                               start == 0 ? ": `:first` behind the file's name begins the run with "
                                            "its first instant"
                                          : ""));
    }
    instants.push_back(instant_at(at));
  });
  instants.shrink_to_fit();
  return instants;
}

RecordedTimes read_times(std::string_view text) {
  const RecordingSource source = source_of(text, work_field);
  if (source.first) throw InvalidInput(text, work_field, "must not say first: work has no start");
  Lines lines(source.file, work_field);
  RecordedTimes recorded;
  std::uint64_t seen = 0;
  lines.each([&](std::string_view line) {
    const std::string_view column = column_of(line, source.column.value_or(1));
    const auto time = length_in(column, source.unit);
    if (!time || *time <= Duration::zero() || *time > longest_work) {
      lines.refuse(fmt::format(
          "must have in column {} a work time above 0 and up to 1h such as 0.02 or 20ms; got '{}'",
          source.column.value_or(1), printable(column)));
    }
    seen += count_in(lines, line, source);
    recorded.times.push_back(*time);
    recorded.up_to.push_back(seen);
  });
  return recorded;
}

std::string text_of(const RecordedInstants& instants) {
  std::string text;
  for (const Instant at : instants) {
    fmt::format_to(std::back_inserter(text), "{}\n", nanoseconds_of(at));
  }
  return text;
}

std::string text_of(const RecordedTimes& recorded) {
  std::string text;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < recorded.times.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{} {}\n", recorded.times[i].count(),
                   recorded.up_to[i] - before);
    before = recorded.up_to[i];
  }
  return text;
}

void Recordings::read_into(Scenario& scenario) {
  ClientSettings& client = scenario.client;
  if (client.recorded) {
    auto& read = instants_[client.recorded.source];
    if (!read) {
      read = std::make_shared<const RecordedInstants>(
          read_instants(within_folder(folder_, client.recorded.source)));
    }
    client.recorded.values = read;
    client.duration = length_of(*read);
    client.rate = static_cast<double>(read->size()) / seconds(client.duration);
    if (client.rate < least_rate || client.rate > most_rate) {
      throw InvalidInput(client.recorded.source, arrivals_field,
                         fmt::format("must offer from {} to {:.0f} requests per second on average; "
                                     "got {:.3g}",
                                     least_rate, most_rate, client.rate));
    }
    for (ClientClass& one : scenario.classes) {
      one.client.recorded = client.recorded;
      one.client.duration = client.duration;
      one.client.rate = client.rate;
    }
  }
  if (scenario.service.recorded_work) {
    auto& read = times_[scenario.service.recorded_work.source];
    if (!read) {
      read = std::make_shared<const RecordedTimes>(
          read_times(within_folder(folder_, scenario.service.recorded_work.source)));
    }
    scenario.service.recorded_work.values = read;
    scenario.service.work = mean_of(*read);
  }
}

std::string folder_of(std::string_view file) {
  return std::filesystem::path(file).parent_path().string();
}

bool recordings_are_read(const Scenario& s) {
  return (!s.client.recorded || s.client.recorded.values) &&
         (!s.service.recorded_work || s.service.recorded_work.values);
}

void require_read(const Scenario& s) {
  const auto require = [](const auto& recorded, std::string_view field) {
    if (recorded && !recorded.values) {
      throw InvalidInput(recorded.source, field, "must be read first: its file is not here");
    }
  };
  require(s.client.recorded, arrivals_field);
  require(s.service.recorded_work, work_field);
}

}  // namespace retrystorm
