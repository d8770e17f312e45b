#include "model/oncall/autoscaler.hpp"

#include "model/capacity/target_tracking.hpp"

#include <algorithm>
#include <cmath>

namespace retrystorm::oncall {
namespace {

void launch(Fleet& fleet, int count, int boot_minutes) {
  if (boot_minutes == 0) {
    fleet.serving += count;
  } else {
    fleet.booting.insert(fleet.booting.end(), static_cast<std::size_t>(count), boot_minutes);
  }
}

// Down to `size`: what boots goes first, the latest launch first.
void shrink(Fleet& fleet, int size) {
  while (fleet.all() > size && !fleet.booting.empty()) fleet.booting.pop_back();
  fleet.serving = std::min(fleet.serving, size);
}

}  // namespace

int desired_instances(int serving, double utilization, const Controls& controls,
                      const Constants& constants) {
  const auto desired = capacity::desired_instances(serving, std::min(1.0, utilization),
                                                   controls.target, /*tolerance=*/0);
  return std::clamp(static_cast<int>(desired), controls.floor,
                    static_cast<int>(constants.max_instances));
}

Fleet scaled(Fleet fleet, double utilization, const Controls& controls, const Constants& constants,
             int boot_minutes) {
  if (fleet.all() < controls.floor) {
    launch(fleet, controls.floor - fleet.all(), boot_minutes);
    fleet.quiet = 0;
    return fleet;
  }
  if (!controls.tracking) {
    shrink(fleet, controls.floor);
    fleet.quiet = 0;
    return fleet;
  }
  const int desired = desired_instances(fleet.serving, utilization, controls, constants);
  if (!fleet.booting.empty() || desired >= fleet.serving) {
    if (fleet.booting.empty()) launch(fleet, desired - fleet.serving, boot_minutes);
    fleet.quiet = 0;
    return fleet;
  }
  if (++fleet.quiet * 60 >= constants.quiet_time) {
    // The slack keeps 0.29 x 100 from becoming 28.
    const int most = static_cast<int>(std::floor(constants.scale_in_share * fleet.serving + 1e-9));
    fleet.serving -= std::min(fleet.serving - desired, most);
    fleet.quiet = 0;
  }
  return fleet;
}

Fleet a_minute_later(Fleet fleet) {
  for (int& left : fleet.booting) --left;
  fleet.serving += static_cast<int>(std::erase(fleet.booting, 0));
  return fleet;
}

}  // namespace retrystorm::oncall
