#include "experiments/evidence/kept_recordings.hpp"

#include "core/files.hpp"
#include "core/recording_source.hpp"
#include "core/recordings.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

namespace retrystorm {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view folder = "recorded";

// A field, and a source that it names.
using Named = std::pair<std::string, std::string>;

// The copies by what they are of.
class Copies {
 public:
  explicit Copies(std::string directory) : directory_(std::move(directory)) {}

  template <typename Values>
  void keep(const std::string& path, const Recorded<Values>& recorded) {
    if (!recorded || !recorded.values) return;
    const auto [at, fresh] = kept_.try_emplace(Named(path, recorded.source));
    if (!fresh) return;
    std::string remedy;
    const std::string file = read_source(recorded.source, remedy).file;
    const std::string name = fmt::format("{}/{}-{}", folder, kept_.size(),
                                         file_name(fs::path(file).filename().string()));
    make_directories(fmt::format("{}/{}", directory_, folder));
    write_whole(fmt::format("{}/{}", directory_, name), text_of(*recorded.values));
    at->second = name + ":ns";
  }

  // The value that names the copy; itself if there is none.
  FieldValue renamed(const Field& field, const FieldValue& value) const {
    const auto* source = std::get_if<std::string>(&value);
    if (source == nullptr) return value;
    const auto found = kept_.find(Named(field.path(), *source));
    return found == kept_.end() ? value : FieldValue(found->second);
  }

 private:
  std::string directory_;
  std::map<Named, std::string> kept_;
};

}  // namespace

Experiment keep_recordings(const Experiment& experiment, const std::vector<Arm>& arms,
                           const std::string& directory) {
  Copies copies(directory);
  for (const Arm& arm : arms) {
    copies.keep("client.recorded", arm.scenario.client.recorded);
    copies.keep("service.recorded_work", arm.scenario.service.recorded_work);
  }
  Experiment kept = experiment;
  kept.recordings = std::make_shared<Recordings>(directory);
  for (const Field& field : fields()) {
    if (field.type != "file") continue;
    const FieldValue value = field.get(kept.base);
    const FieldValue renamed = copies.renamed(field, value);
    if (renamed != value) set_field(kept.base, field, renamed, directory, field.path());
  }
  for (Axis& axis : kept.matrix) {
    for (FieldValue& value : axis.values) value = copies.renamed(*axis.field, value);
  }
  for (NamedArm& arm : kept.arms) {
    for (Setting& setting : arm.settings) {
      setting.value = copies.renamed(*setting.field, setting.value);
    }
  }
  return kept;
}

std::vector<std::string> kept_recordings(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(fmt::format("{}/{}", directory, folder), error), end;
       !error && at != end; at.increment(error)) {
    names.push_back(fmt::format("{}/{}", folder, at->path().filename().string()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Scenario with_recordings_in(const std::string& place, Scenario scenario) {
  const auto move = [&](auto& recorded) {
    if (recorded) recorded.source = within_folder(place, recorded.source);
  };
  move(scenario.client.recorded);
  move(scenario.service.recorded_work);
  for (ClientClass& one : scenario.classes) move(one.client.recorded);
  return scenario;
}

}  // namespace retrystorm
