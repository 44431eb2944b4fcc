// Launches of a kernel.
#pragma once

#include "emu/runtime/types.h"

namespace egpu::emu::runtime {

struct Launch {
  Dim3 grid, block;
  std::size_t shared_bytes;
  cuda::Stream stream;
};

Error driver_config(const LaunchConfig* config, cuda::LaunchConfig& result);

// `per_thread`: stream 0 is the calling thread's.
Error launch(cuda::Kernel kernel, const Launch& launch, void** arguments, bool per_thread);

}  // namespace egpu::emu::runtime
