// Hints about managed memory. It lies in one place, so they are checked and change nothing.
#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/memory.h"
#include "emu/driver/streams.h"

namespace egpu::emu::driver {
namespace {

bool is_managed(DevicePointer address, std::size_t bytes) {
  const auto found = find_allocation(address);
  return found && found->kind == MemoryKind::kManaged &&
         bytes <= found->address + found->bytes - address;
}

bool is_device_or_cpu(cuda::Device ordinal) {
  return ordinal == cuda::kCpuDevice || find_device(ordinal) != nullptr;
}

bool is_place(const cuda::MemoryLocation& location) {
  constexpr int kLastKnownType = 4;  // CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
  if (location.type == cuda::kLocationDevice) return find_device(location.id) != nullptr;
  return location.type > cuda::kLocationDevice && location.type <= kLastKnownType;
}

Status advise(DevicePointer address, std::size_t bytes, int advice, bool valid_place) {
  EGPU_STATUS(check_driver());
  constexpr int kLastAdvice = 6;  // CU_MEM_ADVISE_UNSET_ACCESSED_BY
  if (advice < 1 || advice > kLastAdvice || bytes == 0) return cuda::kInvalidValue;
  if (!valid_place) return cuda::kInvalidDevice;
  return is_managed(address, bytes) ? cuda::kSuccess : cuda::kInvalidValue;
}

Status prefetch(DevicePointer address, std::size_t bytes, bool valid_place, cuda::Stream handle) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (!valid_place) return cuda::kInvalidDevice;
  if (bytes == 0 || !is_managed(address, bytes)) return cuda::kInvalidValue;
  return enqueue(stream, Nothing{});
}

}  // namespace

Status mem_advise(DevicePointer address, std::size_t bytes, int advice, cuda::Device device) {
  return advise(address, bytes, advice, is_device_or_cpu(device));
}

Status mem_advise_v2(DevicePointer address, std::size_t bytes, int advice,
                     cuda::MemoryLocation location) {
  return advise(address, bytes, advice, is_place(location));
}

Status mem_prefetch_async(DevicePointer address, std::size_t bytes, cuda::Device device,
                          cuda::Stream stream) {
  return prefetch(address, bytes, is_device_or_cpu(device), stream);
}

Status mem_prefetch_async_v2(DevicePointer address, std::size_t bytes,
                             cuda::MemoryLocation location, unsigned flags, cuda::Stream stream) {
  if (flags != 0) return cuda::kInvalidValue;
  return prefetch(address, bytes, is_place(location), stream);
}

Status stream_attach_mem_async(cuda::Stream handle, DevicePointer address, std::size_t,
                               unsigned flags) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (flags != cuda::kAttachGlobal && flags != cuda::kAttachHost && flags != cuda::kAttachSingle)
    return cuda::kInvalidValue;
  if (!is_managed(address, 0)) return cuda::kInvalidValue;
  return enqueue(stream, Nothing{});
}

}  // namespace egpu::emu::driver
