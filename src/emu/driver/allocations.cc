// Allocation of device, managed and host memory.
#include <algorithm>

#include "emu/driver/capture.h"
#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/memory.h"

namespace egpu::emu::driver {
namespace {

constexpr std::size_t kPitch = 512;  // rows of cuMemAllocPitch begin at multiples of it

// What all allocating calls begin with.
Status begin_allocation(Context*& context) {
  EGPU_STATUS(current_context(context));
  return check_unsafe_in_capture();
}

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

Status free_allocation(std::uint64_t address, std::initializer_list<MemoryKind> kinds,
                       Status not_found) {
  EGPU_STATUS(check_unsafe_in_capture());
  const auto found = find_allocation(address);
  if (!found || found->address != address) return not_found;
  if (found->context != nullptr) EGPU_STATUS(found->context->sticky.load());
  wait_for_users(*found);
  const auto taken = take_allocation(address, [&](const Allocation& allocation) {
    return std::ranges::find(kinds, allocation.kind) != kinds.end();
  });
  if (!taken) return not_found;
  release(*taken);
  return cuda::kSuccess;
}

}  // namespace

Status mem_get_info(std::size_t* free, std::size_t* total) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  if (free == nullptr || total == nullptr) return cuda::kInvalidValue;
  *free = free_bytes(context->device);
  *total = context->device.memory.limit();
  return cuda::kSuccess;
}

Status mem_alloc(DevicePointer* address, std::size_t bytes) {
  Context* context = nullptr;
  EGPU_STATUS(begin_allocation(context));
  if (address == nullptr || bytes == 0) return cuda::kInvalidValue;
  const std::uint64_t allocated = allocate_on(context->device, bytes);
  if (allocated == 0) return cuda::kOutOfMemory;
  add_allocation({.address = allocated,
                  .bytes = bytes,
                  .kind = MemoryKind::kDevice,
                  .context = context,
                  .device = &context->device});
  *address = allocated;
  return cuda::kSuccess;
}

Status mem_alloc_pitch(DevicePointer* address, std::size_t* pitch, std::size_t width,
                       std::size_t height, unsigned element_bytes) {
  const bool known = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
  if (pitch == nullptr || width == 0 || height == 0 || !known) return cuda::kInvalidValue;
  if (width > SIZE_MAX - kPitch) return cuda::kOutOfMemory;
  const std::size_t row = (width + kPitch - 1) / kPitch * kPitch;
  if (row > SIZE_MAX / height) return cuda::kOutOfMemory;
  EGPU_STATUS(mem_alloc(address, row * height));
  *pitch = row;
  return cuda::kSuccess;
}

Status mem_free(DevicePointer address) {
  EGPU_STATUS(check_driver());
  if (address == 0) return cuda::kSuccess;
  return free_allocation(address, {MemoryKind::kDevice, MemoryKind::kManaged, MemoryKind::kPool},
                         cuda::kInvalidValue);
}

Status mem_get_address_range(DevicePointer* base, std::size_t* bytes, DevicePointer address) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  const auto found = find_allocation(address);
  if (!found) return cuda::kNotFound;
  if (base != nullptr) *base = found->address;
  if (bytes != nullptr) *bytes = found->bytes;
  return cuda::kSuccess;
}

Status mem_alloc_managed(DevicePointer* address, std::size_t bytes, unsigned flags) {
  Context* context = nullptr;
  EGPU_STATUS(begin_allocation(context));
  if (address == nullptr || bytes == 0) return cuda::kInvalidValue;
  if (flags != cuda::kAttachGlobal && flags != cuda::kAttachHost) return cuda::kInvalidValue;
  const std::uint64_t pages = map_pages(bytes);
  if (pages == 0) return cuda::kOutOfMemory;
  add_allocation({.address = pages,
                  .bytes = bytes,
                  .kind = MemoryKind::kManaged,
                  .context = context,
                  .device = &context->device,
                  .flags = flags});
  *address = pages;
  return cuda::kSuccess;
}

Status mem_alloc_host(void** pointer, std::size_t bytes) {
  return mem_host_alloc(pointer, bytes, 0);
}

Status mem_host_alloc(void** pointer, std::size_t bytes, unsigned flags) {
  Context* context = nullptr;
  EGPU_STATUS(begin_allocation(context));
  constexpr unsigned kKnown = cuda::kHostPortable | cuda::kHostDeviceMap | cuda::kHostWriteCombined;
  if (pointer == nullptr || bytes == 0 || (flags & ~kKnown) != 0) return cuda::kInvalidValue;
  const std::uint64_t pages = map_pages(bytes);
  if (pages == 0) return cuda::kOutOfMemory;
  add_allocation({.address = pages,
                  .bytes = bytes,
                  .kind = MemoryKind::kHost,
                  .context = context,
                  .device = &context->device,
                  .flags = flags});
  *pointer = reinterpret_cast<void*>(pages);  // NOLINT(performance-no-int-to-ptr)
  return cuda::kSuccess;
}

Status mem_free_host(void* pointer) {
  EGPU_STATUS(check_driver());
  if (pointer == nullptr) return cuda::kSuccess;
  return free_allocation(address_of(pointer), {MemoryKind::kHost}, cuda::kInvalidValue);
}

Status mem_host_register(void* pointer, std::size_t bytes, unsigned flags) {
  Context* context = nullptr;
  EGPU_STATUS(begin_allocation(context));
  constexpr unsigned kKnown = cuda::kHostPortable | cuda::kHostDeviceMap | cuda::kHostReadOnly;
  if ((flags & cuda::kHostIoMemory) != 0) return cuda::kNotSupported;
  if (pointer == nullptr || bytes == 0 || (flags & ~kKnown) != 0) return cuda::kInvalidValue;
  const std::uint64_t address = address_of(pointer);
  if (find_allocation(address) || find_allocation(address + bytes - 1))
    return cuda::kHostMemoryAlreadyRegistered;
  add_allocation({.address = address,
                  .bytes = bytes,
                  .kind = MemoryKind::kRegistered,
                  .context = context,
                  .device = &context->device,
                  .flags = flags});
  return cuda::kSuccess;
}

Status mem_host_unregister(void* pointer) {
  EGPU_STATUS(check_driver());
  return free_allocation(address_of(pointer), {MemoryKind::kRegistered},
                         cuda::kHostMemoryNotRegistered);
}

Status mem_host_get_device_pointer(DevicePointer* address, void* pointer, unsigned flags) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  if (address == nullptr || flags != 0) return cuda::kInvalidValue;
  const auto found = find_allocation(address_of(pointer));
  if (!found || !found->on_host()) return cuda::kInvalidValue;
  *address = address_of(pointer);
  return cuda::kSuccess;
}

// As the driver says with unified addresses: all is portable and mapped.
Status mem_host_get_flags(unsigned* flags, void* pointer) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  if (flags == nullptr) return cuda::kInvalidValue;
  const auto found = find_allocation(address_of(pointer));
  if (!found || found->kind != MemoryKind::kHost) return cuda::kInvalidValue;
  *flags = found->flags | cuda::kHostDeviceMap;
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
