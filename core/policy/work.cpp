#include "core/policy/work.hpp"

#include "core/field_list.hpp"
#include "core/field_tables.hpp"

#include <cmath>

namespace retrystorm {

Work::Work(const Scenario& s)
    : mean_(s.service.work), random_(static_cast<std::uint64_t>(s.seed), Stream::work) {
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

void declare_work(FieldList& list) {
  using S = ServiceSettings;
  using namespace std::chrono_literals;
  list.add(
      service_table,
      {{"work", Length<S>{&S::work, 1us, 1h}, every_engine,
        "mean work time of a request on a worker"},
       {"work_kind", OneOf<S, WorkKind>{&S::work_kind, {"timer", "sleep", "spin"}},
        engine_bit(Engine::testbed),
        "a due time on the steady clock, a sleep that drifts, or CPU burnt"},
       {"work_shape", OneOf<S, WorkShape>{&S::work_shape, {"fixed", "exponential", "lognormal"}},
        every_engine, "how work times are distributed around the mean", true,
        [](const S& s) { return s.work_shape != WorkShape::fixed; }},
       {"work_cv", Number<S>{&S::work_cv, 0.01, 100}, sampling_engines,
        "coefficient of variation of lognormal work"}});
}

}  // namespace retrystorm
