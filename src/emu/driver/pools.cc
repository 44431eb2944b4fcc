#include "emu/driver/pools.h"

#include <algorithm>

#include "emu/driver/capture.h"
#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/handles.h"
#include "emu/driver/streams.h"

namespace egpu::emu::driver {
namespace {

struct DevicePools {
  std::shared_ptr<Pool> standard;
  std::shared_ptr<Pool> current;
};

struct Pools {
  Handles<cuda::MemoryPool, Pool> handles;
  std::vector<DevicePools> of_device;  // by ordinal
};

Pools& pools() {
  static auto* const instance = new Pools;
  return *instance;
}

Status find_pool(cuda::MemoryPool handle, std::shared_ptr<Pool>& pool) {
  EGPU_STATUS(check_driver());
  pool = pools().handles.find(handle);
  return pool != nullptr ? cuda::kSuccess : cuda::kInvalidValue;
}

Status find_device_pools(cuda::Device ordinal, DevicePools*& found) {
  EGPU_STATUS(check_driver());
  if (find_device(ordinal) == nullptr) return cuda::kInvalidDevice;
  found = &pools().of_device[static_cast<std::size_t>(ordinal)];
  return cuda::kSuccess;
}

std::uint64_t allocate_from(Pool& pool, std::uint64_t bytes) {
  {
    const std::lock_guard lock(driver().mutex);
    if (pool.max_bytes != 0 && bytes > pool.max_bytes - std::min(pool.max_bytes, pool.used))
      return 0;
  }
  const std::uint64_t address = allocate_on(pool.device, bytes);
  if (address == 0) return 0;
  const std::lock_guard lock(driver().mutex);
  pool.used += bytes;
  pool.used_high = std::max(pool.used_high, pool.used);
  return address;
}

Status allocate(const StreamPointer& stream, const std::shared_ptr<Pool>& pool, std::size_t bytes,
                DevicePointer* address) {
  if (address == nullptr || bytes == 0) return cuda::kInvalidValue;
  {
    const std::lock_guard lock(driver().mutex);
    if (stream->capture != nullptr) return refuse_in_capture(*stream);
  }
  std::uint64_t allocated = allocate_from(*pool, bytes);
  if (allocated == 0) {
    wait_for_all(stream->context);  // for what streams are about to give back
    allocated = allocate_from(*pool, bytes);
  }
  if (allocated == 0) return cuda::kOutOfMemory;
  add_allocation({.address = allocated,
                  .bytes = bytes,
                  .kind = MemoryKind::kPool,
                  .context = &stream->context,
                  .device = &pool->device,
                  .pool = pool});
  *address = allocated;
  return cuda::kSuccess;
}

}  // namespace

std::vector<Device*> viewers_of(const Pool& pool) {
  const std::lock_guard lock(driver().mutex);
  return {pool.viewers.begin(), pool.viewers.end()};
}

void give_back(Pool& pool, std::uint64_t bytes) {
  const std::lock_guard lock(driver().mutex);
  pool.used -= bytes;
}

cuda::MemoryPool handle_of(const Pool& pool) { return Handles<cuda::MemoryPool, Pool>::of(&pool); }

void make_default_pools() {
  for (const auto& device : driver().devices) {
    const auto pool = std::make_shared<Pool>(*device, 0);
    pools().handles.add(pool);
    pools().of_device.push_back({.standard = pool, .current = pool});
  }
}

Status mem_alloc_async(DevicePointer* address, std::size_t bytes, cuda::Stream handle) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  std::shared_ptr<Pool> pool;
  {
    const std::lock_guard lock(driver().mutex);
    const int ordinal = stream->context.device.ordinal;
    pool = pools().of_device[static_cast<std::size_t>(ordinal)].current;
  }
  return allocate(stream, pool, bytes, address);
}

Status mem_alloc_from_pool_async(DevicePointer* address, std::size_t bytes,
                                 cuda::MemoryPool pool_handle, cuda::Stream handle) {
  StreamPointer stream;
  std::shared_ptr<Pool> pool;
  EGPU_STATUS(find_stream(handle, stream));
  EGPU_STATUS(find_pool(pool_handle, pool));
  return allocate(stream, pool, bytes, address);
}

Status mem_free_async(DevicePointer address, cuda::Stream handle) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (address == 0) return cuda::kSuccess;
  {
    const std::lock_guard lock(driver().mutex);
    if (stream->capture != nullptr) return refuse_in_capture(*stream);
  }
  auto taken = take_allocation(address, [](const Allocation& allocation) {
    return allocation.kind == MemoryKind::kPool || allocation.kind == MemoryKind::kDevice;
  });
  if (!taken) return cuda::kInvalidValue;
  return enqueue(stream, FreeMemory{.allocation = *std::move(taken)});
}

Status mem_pool_create(cuda::MemoryPool* handle, const cuda::PoolProperties* properties) {
  EGPU_STATUS(check_driver());
  if (handle == nullptr || properties == nullptr) return cuda::kInvalidValue;
  if (properties->type != cuda::kAllocationPinned) return cuda::kInvalidValue;
  if (properties->location.type != cuda::kLocationDevice) return cuda::kNotSupported;
  if (properties->handle_types != cuda::kHandleNone) return cuda::kNotSupported;
  Device* device = find_device(properties->location.id);
  if (device == nullptr) return cuda::kInvalidValue;
  *handle = pools().handles.add(std::make_shared<Pool>(*device, properties->max_size));
  return cuda::kSuccess;
}

Status mem_pool_destroy(cuda::MemoryPool handle) {
  std::shared_ptr<Pool> pool;
  EGPU_STATUS(find_pool(handle, pool));
  const std::lock_guard lock(driver().mutex);
  for (DevicePools& of_device : pools().of_device) {
    if (of_device.standard == pool) return cuda::kInvalidValue;
    if (of_device.current == pool) of_device.current = of_device.standard;
  }
  pools().handles.remove(handle);
  return cuda::kSuccess;
}

Status mem_pool_trim_to(cuda::MemoryPool handle, std::size_t) {
  std::shared_ptr<Pool> pool;
  return find_pool(handle, pool);
}

Status mem_pool_set_attribute(cuda::MemoryPool handle, cuda::PoolAttribute attribute, void* value) {
  std::shared_ptr<Pool> pool;
  EGPU_STATUS(find_pool(handle, pool));
  if (value == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  switch (attribute) {
    case cuda::kPoolReuseFollowEventDependencies:
      pool->reuse_follow_event_dependencies = *static_cast<int*>(value);
      return cuda::kSuccess;
    case cuda::kPoolReuseAllowOpportunistic:
      pool->reuse_allow_opportunistic = *static_cast<int*>(value);
      return cuda::kSuccess;
    case cuda::kPoolReuseAllowInternalDependencies:
      pool->reuse_allow_internal_dependencies = *static_cast<int*>(value);
      return cuda::kSuccess;
    case cuda::kPoolReleaseThreshold:
      pool->release_threshold = *static_cast<std::uint64_t*>(value);
      return cuda::kSuccess;
    case cuda::kPoolReservedMemHigh:
    case cuda::kPoolUsedMemHigh:
      if (*static_cast<std::uint64_t*>(value) != 0) return cuda::kInvalidValue;
      pool->used_high = pool->used;
      return cuda::kSuccess;
    default:
      return cuda::kInvalidValue;
  }
}

Status mem_pool_get_attribute(cuda::MemoryPool handle, cuda::PoolAttribute attribute, void* value) {
  std::shared_ptr<Pool> pool;
  EGPU_STATUS(find_pool(handle, pool));
  if (value == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  switch (attribute) {
    case cuda::kPoolReuseFollowEventDependencies:
      *static_cast<int*>(value) = pool->reuse_follow_event_dependencies;
      return cuda::kSuccess;
    case cuda::kPoolReuseAllowOpportunistic:
      *static_cast<int*>(value) = pool->reuse_allow_opportunistic;
      return cuda::kSuccess;
    case cuda::kPoolReuseAllowInternalDependencies:
      *static_cast<int*>(value) = pool->reuse_allow_internal_dependencies;
      return cuda::kSuccess;
    case cuda::kPoolReleaseThreshold:
      *static_cast<std::uint64_t*>(value) = pool->release_threshold;
      return cuda::kSuccess;
    case cuda::kPoolReservedMemCurrent:
    case cuda::kPoolUsedMemCurrent:
      *static_cast<std::uint64_t*>(value) = pool->used;
      return cuda::kSuccess;
    case cuda::kPoolReservedMemHigh:
    case cuda::kPoolUsedMemHigh:
      *static_cast<std::uint64_t*>(value) = pool->used_high;
      return cuda::kSuccess;
    default:
      return cuda::kInvalidValue;
  }
}

// Holds for memory allocated from then on; the driver changes what is there already, too.
Status mem_pool_set_access(cuda::MemoryPool handle, const cuda::MemoryAccess* accesses,
                           std::size_t count) {
  std::shared_ptr<Pool> pool;
  EGPU_STATUS(find_pool(handle, pool));
  if (accesses == nullptr && count > 0) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  for (std::size_t i = 0; i < count; ++i) {
    if (accesses[i].location.type != cuda::kLocationDevice) return cuda::kNotSupported;
    Device* device = find_device(accesses[i].location.id);
    if (device == nullptr) return cuda::kInvalidDevice;
    const bool own = device == &pool->device;
    if (own && accesses[i].flags != cuda::kAccessReadWrite) return cuda::kInvalidValue;
    if (own) continue;
    if (pool->used != 0) return cuda::kNotSupported;
    if (accesses[i].flags == cuda::kAccessNone)
      pool->viewers.erase(device);
    else
      pool->viewers.insert(device);
  }
  return cuda::kSuccess;
}

Status mem_pool_get_access(int* flags, cuda::MemoryPool handle, cuda::MemoryLocation* location) {
  std::shared_ptr<Pool> pool;
  EGPU_STATUS(find_pool(handle, pool));
  if (flags == nullptr || location == nullptr) return cuda::kInvalidValue;
  if (location->type != cuda::kLocationDevice) return cuda::kNotSupported;
  Device* device = find_device(location->id);
  if (device == nullptr) return cuda::kInvalidDevice;
  const std::lock_guard lock(driver().mutex);
  *flags = device == &pool->device || pool->viewers.contains(device) ? cuda::kAccessReadWrite
                                                                     : cuda::kAccessNone;
  return cuda::kSuccess;
}

Status device_get_default_mem_pool(cuda::MemoryPool* handle, cuda::Device ordinal) {
  DevicePools* found = nullptr;
  EGPU_STATUS(find_device_pools(ordinal, found));
  if (handle == nullptr) return cuda::kInvalidValue;
  *handle = handle_of(*found->standard);
  return cuda::kSuccess;
}

Status device_get_mem_pool(cuda::MemoryPool* handle, cuda::Device ordinal) {
  DevicePools* found = nullptr;
  EGPU_STATUS(find_device_pools(ordinal, found));
  if (handle == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  *handle = handle_of(*found->current);
  return cuda::kSuccess;
}

Status device_set_mem_pool(cuda::Device ordinal, cuda::MemoryPool handle) {
  DevicePools* found = nullptr;
  std::shared_ptr<Pool> pool;
  EGPU_STATUS(find_device_pools(ordinal, found));
  EGPU_STATUS(find_pool(handle, pool));
  if (pool->device.ordinal != ordinal) return cuda::kInvalidDevice;
  const std::lock_guard lock(driver().mutex);
  found->current = pool;
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
