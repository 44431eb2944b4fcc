#pragma once

#include "cuda/driver_types.h"

namespace egpu::emu::driver {

// cuInit, on a processor that has what kernels are compiled for.
cuda::Status initialize(unsigned flags);

}  // namespace egpu::emu::driver
