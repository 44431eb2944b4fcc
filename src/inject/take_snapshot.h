// Copies an instance's maps out of the device and publishes them (abi/snapshot.h).
#pragma once

#include "inject/instances.h"

namespace egpu::inject {

// On failure nothing is published; an error of the driver other than a time-out makes the instance
// unusable for good, with a report. `final`: no launch follows.
cuda::Status take_snapshot(Instance& instance, bool final);

}  // namespace egpu::inject
