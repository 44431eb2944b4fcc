// Pools of device memory. They keep nothing: what is given back goes back to the device.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "emu/driver/state.h"

namespace egpu::emu::driver {

// Guarded by Driver::mutex, but for what is constant.
struct Pool {
  Pool(Device& of, std::uint64_t most) : device(of), max_bytes(most) {}

  Device& device;
  const std::uint64_t max_bytes;  // 0: what the device has
  std::uint64_t used = 0;
  std::uint64_t used_high = 0;
  std::uint64_t release_threshold = 0;
  int reuse_follow_event_dependencies = 1;
  int reuse_allow_opportunistic = 1;
  int reuse_allow_internal_dependencies = 1;
  std::set<Device*> viewers;  // other devices that cuMemPoolSetAccess allowed
};

std::vector<Device*> viewers_of(const Pool& pool);
void give_back(Pool& pool, std::uint64_t bytes);
cuda::MemoryPool handle_of(const Pool& pool);

// Each device's default pool.
void make_default_pools();

}  // namespace egpu::emu::driver
