#include "experiments/report/history/history.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "experiments/evidence/checksums.hpp"
#include "experiments/report/report_check.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

std::optional<ReportStamp> stamp_of(const std::string& file) {
  struct stat s {};
  if (::stat(file.c_str(), &s) != 0) return std::nullopt;
  return ReportStamp{s.st_size, s.st_mtim.tv_sec * 1'000'000'000 + s.st_mtim.tv_nsec};
}

// A directory named by `run` tells when it was made ("collapse-20250101T120000Z", perhaps with a
// number behind it); otherwise the file's time must do.
std::int64_t finished_at(const std::string& directory, const ReportStamp& stamp) {
  const std::size_t mark = directory.rfind("Z");
  if (mark != directory.npos && mark >= 16 && directory[mark - 16] == '-') {
    int y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0;
    const std::string text = directory.substr(mark - 15, 15);
    if (std::sscanf(text.c_str(), "%4d%2d%2dT%2d%2d%2d", &y, &mo, &d, &h, &mi, &s) == 6) {
      namespace chrono = std::chrono;
      const chrono::year_month_day day(chrono::year(y), chrono::month(static_cast<unsigned>(mo)),
                                       chrono::day(static_cast<unsigned>(d)));
      if (day.ok()) {
        const auto midnight = chrono::sys_days(day).time_since_epoch();
        return chrono::seconds(midnight).count() + (h * 60 + mi) * 60 + s;
      }
    }
  }
  return stamp.modified / 1'000'000'000;
}

PastRun read_run(const std::string& folder, const std::string& directory,
                 const ReportStamp& stamp) {
  PastRun run;
  run.directory = directory;
  run.finished = finished_at(directory, stamp);
  const std::string file = folder + "/" + directory + "/report.json";
  if (!stamp_of(file)) {
    run.status = "no report: it still runs, or was killed (retrystorm report imports it)";
    return run;
  }
  try {
    const std::string text = read_file(file);
    const Checksums sums(folder + "/" + directory);
    if (const std::string what = sums.alteration("report.json", text); !what.empty()) {
      throw InvalidInput(file, "", what);
    }
    const Report report = checked_report(text, file);
    run.experiment = report.experiment;
    run.question = report.question;
    run.status = report.partial ? "partial" : "done";
    for (const ArmReport& arm : report.arms) {
      PastArm past{arm.name, arm.status, arm.trusted};
      for (std::size_t i = 0; i < past.figures.size() && arm.measured; ++i) {
        past.figures[i] = past_figures[i].figure.in(*arm.measured);
      }
      past.figures.front() = arm.scenario.client.rate;
      run.arms.push_back(std::move(past));
    }
  } catch (const InvalidInput& error) {
    run.status = fmt::format("unreadable: {}", error.what());
  }
  return run;
}

PastRun unreadable(const std::string& directory) {
  PastRun run;
  run.directory = directory;
  run.finished = finished_at(directory, {});
  run.status = fmt::format("unreadable: {}", std::strerror(EACCES));
  return run;
}

void bring_up_to_date(HistoryIndex& index, const std::string& folder) {
  std::map<std::string, ReportStamp> known = index.known();
  Transaction transaction(index.database());
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string directory = entry.path().filename().string();
    auto stamp = stamp_of(entry.path().string() + "/report.json");
    if (!stamp) stamp = stamp_of(entry.path().string() + "/experiment.toml");
    if (!stamp) {
      if (errno != EACCES) continue;  // no run's directory
      index.remember(unreadable(directory), {});
      known.erase(directory);
      continue;
    }
    const auto found = known.find(directory);
    if (found == known.end() || found->second != *stamp) {
      index.remember(read_run(folder, directory, *stamp), *stamp);
    }
    if (found != known.end()) known.erase(found);
  }
  if (error) throw InvalidInput(folder, "DIR", error.message());
  for (const auto& [directory, stamp] : known) index.forget(directory);
  transaction.commit();
}

// The index is a convenience: where it cannot be kept (no place, no permission, something else of
// its name), the answer comes without it.
HistoryIndex current_index(const std::string& folder, bool rebuild) {
  try {
    HistoryIndex index = HistoryIndex::open(folder, rebuild);
    bring_up_to_date(index, folder);
    return index;
  } catch (const RunFailed&) {
    HistoryIndex index = HistoryIndex::in_memory();
    bring_up_to_date(index, folder);
    return index;
  }
}

}  // namespace

std::vector<PastRun> history_of(const std::string& folder, const HistoryOptions& options) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw InvalidInput(folder, "DIR", "must be a folder of run directories");
  }
  // Nothing may be written into a run.
  if (fs::exists(folder + "/experiment.toml", error)) {
    throw InvalidInput(folder, "DIR", "is itself a run; name the folder that it stands in");
  }
  std::vector<PastRun> runs = current_index(folder, options.rebuild).runs(options.experiment);
  if (options.last > 0 && runs.size() > options.last) {
    runs.erase(runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(options.last));
  }
  return runs;
}

namespace {

Count figure_in(const PastArm& arm, std::string_view name) {
  for (std::size_t i = 0; i < std::size(past_figures); ++i) {
    if (past_figures[i].name == name) return arm.figures[i];
  }
  return std::nullopt;
}

}  // namespace

std::optional<PastChange> change_of(const std::vector<PastRun>& runs, std::size_t run,
                                    std::size_t arm) {
  const PastArm& now = runs[run].arms[arm];
  for (std::size_t i = run; i-- > 0;) {
    if (runs[i].experiment != runs[run].experiment) continue;
    for (const PastArm& then : runs[i].arms) {
      if (then.name != now.name) continue;
      for (const char* name : {"settled_goodput", "whole_goodput"}) {
        const Count a = figure_in(then, name);
        const Count b = figure_in(now, name);
        if (!a || !b) continue;
        const auto share = *a > 0 ? std::optional(*b / *a - 1) : std::nullopt;
        return PastChange{i, std::string_view(name) == "settled_goodput", *b - *a, share};
      }
    }
  }
  return std::nullopt;
}

std::string utc_text(std::int64_t seconds_since_1970) {
  const std::chrono::sys_seconds at{std::chrono::seconds(seconds_since_1970)};
  return fmt::format("{:%Y-%m-%d %H:%M:%S}Z", at);
}

}  // namespace retrystorm
