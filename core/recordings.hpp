// Reads the files that a scenario names: recorded arrivals and recorded work times. What is wrong
// with one of them is said with its line. Reading is apart from setting the field, so that a
// scenario in a report can be looked at where its files are not.
#pragma once

#include "core/scenario.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace retrystorm {

inline constexpr std::size_t most_recorded = 10'000'000;  // instants, or lines of work times

// The instants of a file. Throws InvalidInput naming file, line and client.recorded for a file that
// cannot be read or is empty, for a line without an instant, and for one earlier than the line
// before. Blank lines and those that begin with '#' are skipped.
RecordedInstants read_instants(std::string_view source);

// The work times of a file, one a line, with how often it was seen behind it where the source names
// no column.
RecordedTimes read_times(std::string_view source);

// The same as a file that reads back equal, in nanoseconds.
std::string text_of(const RecordedInstants& instants);
std::string text_of(const RecordedTimes& times);

// The recordings of scenarios in one folder, each read once.
class Recordings {
 public:
  // Relative names are sought in `folder`; empty: the current one.
  explicit Recordings(std::string folder = {}) : folder_(std::move(folder)) {}

  // Reads what the scenario names. Its duration and rate become those of the recorded arrivals: the
  // last instant and a mean gap more, and how many come in that time; its work the recorded mean.
  void read_into(Scenario& scenario);

 private:
  std::string folder_;
  std::map<std::string, std::shared_ptr<const RecordedInstants>> instants_;
  std::map<std::string, std::shared_ptr<const RecordedTimes>> times_;
};

// The folder that a scenario's file stands in: where it means the files that it names.
std::string folder_of(std::string_view file);

// Throws InvalidInput for a scenario that names what has not been read.
void require_read(const Scenario& scenario);
// False for such a scenario.
bool recordings_are_read(const Scenario& scenario);

}  // namespace retrystorm
