#include "core/policy/work.hpp"

#include "core/field_list.hpp"
#include "core/field_tables.hpp"
#include "core/recording_source.hpp"
#include "core/recordings.hpp"

#include <algorithm>
#include <cmath>

#include <boost/random/uniform_int_distribution.hpp>

namespace retrystorm {

Work::Work(const Scenario& s)
    : mean_(s.service.work), random_(static_cast<std::uint64_t>(s.seed), Stream::work) {
  if (s.service.recorded_work) {
    require_read(s);
    shape_ = Shape::recorded;
    recorded_ = s.service.recorded_work.values;
    return;
  }
  switch (s.service.work_shape) {
    case WorkShape::fixed:
      shape_ = Shape::fixed;
      break;
    case WorkShape::exponential:
      shape_ = Shape::exponential;
      break;
    case WorkShape::lognormal: {
      shape_ = Shape::lognormal;
      // Mean m and coefficient of variation v of a lognormal: sigma^2 = ln(1 + v^2), mu = ln m -
      // sigma^2 / 2.
      const double variance = std::log1p(s.service.work_cv * s.service.work_cv);
      log_sigma_ = std::sqrt(variance);
      log_mean_ = std::log(static_cast<double>(mean_.count())) - variance / 2;
      break;
    }
  }
}

Work::Work(std::vector<Duration> list, Duration mean)
    : shape_(Shape::list), mean_(mean), random_(0), list_(std::move(list)) {}

double Work::lognormal_draw() {
  return std::exp(log_mean_ + log_sigma_ * normal_(random_));
}

// Each of those that were seen is as likely.
Duration Work::recorded_draw() {
  const std::vector<std::uint64_t>& up_to = recorded_->up_to;
  boost::random::uniform_int_distribution<std::uint64_t> which(0, up_to.back() - 1);
  const auto found = std::upper_bound(up_to.begin(), up_to.end(), which(random_));
  return recorded_->times[static_cast<std::size_t>(found - up_to.begin())];
}

namespace {

FieldValue recorded_work_text(const ServiceSettings& s) {
  return s.recorded_work ? s.recorded_work.source : std::string("none");
}

// Its mean is known when the file has been read (recordings.hpp).
std::string read_recorded_work(ServiceSettings& s, const FieldValue& value) {
  const auto source = source_in(value);
  if (!source) return std::string(source_remedy);
  s.recorded_work = {*source, nullptr};
  return {};
}

// A work time of its own takes the place of a recording.
Member<ServiceSettings> replacing_recorded(Member<ServiceSettings> member) {
  member.set = [set = member.set](ServiceSettings& s, const FieldValue& value) {
    std::string remedy = set(s, value);
    if (remedy.empty()) s.recorded_work = {};
    return remedy;
  };
  return member;
}

}  // namespace

void declare_work(FieldList& list) {
  using S = ServiceSettings;
  using namespace std::chrono_literals;
  list.add(
      service_table,
      {{"work", replacing_recorded(Length<S>{&S::work, 1us, 1h}), every_engine,
        "mean work time of a request on a worker"},
       {"work_kind", OneOf<S, WorkKind>{&S::work_kind, {"timer", "sleep", "spin"}},
        engine_bit(Engine::testbed),
        "a due time on the steady clock, a sleep that drifts, or CPU burnt"},
       {"work_shape", OneOf<S, WorkShape>{&S::work_shape, {"fixed", "exponential", "lognormal"}},
        every_engine, "how work times are distributed around the mean", true,
        [](const S& s) { return s.work_shape != WorkShape::fixed; }},
       {"work_cv", Number<S>{&S::work_cv, 0.01, 100}, sampling_engines,
        "coefficient of variation of lognormal work"},
       {"recorded_work", Custom<S>{"file", source_range, recorded_work_text, read_recorded_work},
        sampling_engines, "recorded work times to draw from, in place of work and its shape", true,
        [](const S& s) { return static_cast<bool>(s.recorded_work); }}});
}

}  // namespace retrystorm
