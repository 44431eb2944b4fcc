// What a launch may ask of the device.
#pragma once

#include "emu/driver/modules.h"
#include "emu/launch.h"

namespace egpu::emu::driver {

// The driver's error for a launch that is too large or that contradicts the kernel's code; the
// reason is said on standard error.
Status check_limits(const Function& function, const emu::LaunchConfig& config);

}  // namespace egpu::emu::driver
