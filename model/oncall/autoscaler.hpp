// The fleet's size: the floor, and target tracking above it. The desired size is that of the
// Kubernetes autoscaler (model/capacity); what may be done about it at once is the model's.
#pragma once

#include "model/oncall/constants.hpp"
#include "model/oncall/state.hpp"

namespace retrystorm::oncall {

// ceil(serving x utilization / target) within the floor and the largest fleet; utilization counts
// as 1 at most, so a saturated fleet asks for serving / target, however far beyond it is.
int desired_instances(int serving, double utilization, const Controls& controls,
                      const Constants& constants);

// The fleet at the beginning of a minute, given the utilization of the minute before. Launched
// instances boot for `boot_minutes` first.
// - A fleet below the floor (booting instances counted) launches what is missing at once.
// - Tracking off: exactly the floor; booting instances are cancelled first.
// - Tracking on: launches what is desired unless instances boot; shrinks by at most
//   scale_in_share, rounded down, after quiet_time of minutes in a row that a smaller fleet would
//   have done for, and waits as long again (ours).
Fleet scaled(Fleet fleet, double utilization, const Controls& controls, const Constants& constants,
             int boot_minutes);

// A minute passes: instances that have booted serve.
Fleet a_minute_later(Fleet fleet);

}  // namespace retrystorm::oncall
