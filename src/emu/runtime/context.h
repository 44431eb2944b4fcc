// Which device and context a thread works with.
#pragma once

#include "emu/runtime/types.h"

namespace egpu::emu::runtime {

// Makes the device's primary context the thread's, retaining it where this process does not yet.
Error use_device(int device);

// After a reset: the context is gone, the next call makes a new one.
void forget_device(int device);

}  // namespace egpu::emu::runtime
