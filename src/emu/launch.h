// Runs a kernel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "base/bytes.h"
#include "emu/fault.h"
#include "emu/module.h"

namespace egpu::emu {

using Dim3 = std::array<std::uint32_t, 3>;

// What special registers tell of the device.
struct DeviceShape {
  std::uint32_t multiprocessors = 8;
  std::uint32_t architecture = 90;  // compute capability times ten
};

struct LaunchConfig {
  Dim3 grid{1, 1, 1};
  Dim3 block{1, 1, 1};
  Dim3 cluster{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;  // all blocks are resident: they may wait for each other
  std::uint64_t grid_id = 0;
  Bytes parameters = {};                // laid out as KernelInfo::parameters says
  std::uint32_t stack_bytes = 1 << 16;  // local memory of each thread beyond the kernel's own
  std::uint64_t budget = 0;             // warp instructions of a block before kTimeout; 0: no limit
  unsigned workers = 1;                 // host threads that run blocks
  // Not 0: warps, and groups of their lanes, take turns of any length in any order, another one for
  // each seed (with one worker the same each time): to look for races.
  std::uint64_t schedule_seed = 0;
};

// Returns when every thread has ended, or with the first fault. Limits of the device (threads of a
// block, sizes) are the caller's to check. `memory`: the one the kernel's module was loaded into.
// Several launches may run at a time. `stop`: ends the launch early, with kTimeout.
std::optional<Fault> launch(const Kernel& kernel, Memory& memory, const DeviceShape& device,
                            const LaunchConfig& config, std::stop_token stop = {});

}  // namespace egpu::emu
