// Copies.
//
// A copy whose source is ordinary host memory must not see what the application writes there after
// the call: small ones are staged, larger ones are waited for, as are copies to such memory. The
// driver does the same (CUDA Driver API, "API synchronization behavior").
#include "emu/driver/copies.h"

#include <cstring>

#include "emu/driver/capture.h"
#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/memory.h"
#include "emu/driver/streams.h"

namespace egpu::emu::driver {
namespace {

constexpr std::size_t kMaxStaged = 64 << 10;

enum class Timing { kSynchronous, kAsynchronous };

bool is_linear(const cuda::Copy3d& copy) { return copy.height == 1 && copy.depth == 1; }

bool is_pageable(const Extent& extent) { return !find_allocation(extent.first); }

// That the end is what its type says: device memory must be known, host memory can be anything.
Status check_end(const cuda::CopyEnd3d& end, const cuda::Copy3d& copy) {
  if (end.level != 0 || end.array != nullptr) return cuda::kNotSupported;
  if (end.pitch != 0 && end.pitch < end.x + copy.width) return cuda::kInvalidValue;
  const Extent extent = extent_of(end, copy);
  switch (end.type) {
    case cuda::kMemoryHost:
      return end.host != nullptr || extent.bytes == 0 ? cuda::kSuccess : cuda::kInvalidValue;
    case cuda::kMemoryDevice:
      return covers(extent.first, extent.bytes) ? cuda::kSuccess : cuda::kInvalidValue;
    case cuda::kMemoryUnified:
      if (extent.bytes > 0 && extent.first == 0) return cuda::kInvalidValue;
      return is_pageable(extent) || covers(extent.first, extent.bytes) ? cuda::kSuccess
                                                                       : cuda::kInvalidValue;
    default:
      return cuda::kInvalidValue;
  }
}

Copy staged(const cuda::Copy3d& copy, const Extent& source) {
  const auto* from =
      reinterpret_cast<const std::byte*>(source.first);  // NOLINT(performance-no-int-to-ptr)
  return {.what = copy,
          .staged = std::make_shared<const std::vector<std::byte>>(from, from + source.bytes)};
}

bool is_captured(const Stream& stream) {
  const std::lock_guard lock(driver().mutex);
  return stream.capture != nullptr;
}

Status enqueue_copy(const StreamPointer& stream, const cuda::Copy3d& copy, Timing timing) {
  EGPU_STATUS(check_copy(copy));
  const Extent source = extent_of(copy.source, copy);
  const Extent destination = extent_of(copy.destination, copy);
  if (source.bytes == 0) return cuda::kSuccess;
  if (timing == Timing::kSynchronous) {
    EGPU_STATUS(check_unsafe_in_capture());
    return enqueue_and_wait(stream, Copy{.what = copy});
  }
  if (is_captured(*stream)) return enqueue(stream, Copy{.what = copy});
  if (is_pageable(destination)) return enqueue_and_wait(stream, Copy{.what = copy});
  if (!is_pageable(source)) return enqueue(stream, Copy{.what = copy});
  if (is_linear(copy) && source.bytes <= kMaxStaged) return enqueue(stream, staged(copy, source));
  return enqueue_and_wait(stream, Copy{.what = copy});
}

Status copy_in(cuda::Stream handle, const cuda::Copy3d& copy, Timing timing) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  return enqueue_copy(stream, copy, timing);
}

cuda::Copy3d with_types(cuda::Copy3d copy, cuda::MemoryType to, cuda::MemoryType from) {
  copy.destination.type = to;
  copy.source.type = from;
  copy.destination.host =
      reinterpret_cast<void*>(copy.destination.device);  // NOLINT(performance-no-int-to-ptr)
  copy.source.host =
      reinterpret_cast<void*>(copy.source.device);  // NOLINT(performance-no-int-to-ptr)
  return copy;
}

cuda::Copy3d to_device(DevicePointer to, const void* from, std::size_t bytes) {
  return with_types(linear_copy(to, reinterpret_cast<std::uint64_t>(from), bytes),
                    cuda::kMemoryDevice, cuda::kMemoryHost);
}
cuda::Copy3d to_host(void* to, DevicePointer from, std::size_t bytes) {
  return with_types(linear_copy(reinterpret_cast<std::uint64_t>(to), from, bytes),
                    cuda::kMemoryHost, cuda::kMemoryDevice);
}
cuda::Copy3d on_devices(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return with_types(linear_copy(to, from, bytes), cuda::kMemoryDevice, cuda::kMemoryDevice);
}

cuda::CopyEnd3d widen(const cuda::CopyEnd2d& end) {
  return {.x = end.x,
          .y = end.y,
          .z = 0,
          .level = 0,
          .type = end.type,
          .host = end.host,
          .device = end.device,
          .array = end.array,
          .context = nullptr,
          .pitch = end.pitch,
          .height = 0};
}

cuda::Copy3d widen(const cuda::Copy2d& copy) {
  return {.source = widen(copy.source),
          .destination = widen(copy.destination),
          .width = copy.width,
          .height = copy.height,
          .depth = 1};
}

}  // namespace

Status check_copy(const cuda::Copy3d& copy) {
  EGPU_STATUS(check_end(copy.source, copy));
  return check_end(copy.destination, copy);
}

Status memcpy_any(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return copy_in(nullptr, linear_copy(to, from, bytes), Timing::kSynchronous);
}

Status memcpy_any_async(DevicePointer to, DevicePointer from, std::size_t bytes,
                        cuda::Stream stream) {
  return copy_in(stream, linear_copy(to, from, bytes), Timing::kAsynchronous);
}

Status memcpy_peer(DevicePointer to, cuda::Context to_context, DevicePointer from,
                   cuda::Context from_context, std::size_t bytes) {
  Context* context = nullptr;
  EGPU_STATUS(find_context(to_context, context));
  EGPU_STATUS(find_context(from_context, context));
  return copy_in(nullptr, on_devices(to, from, bytes), Timing::kSynchronous);
}

Status memcpy_peer_async(DevicePointer to, cuda::Context to_context, DevicePointer from,
                         cuda::Context from_context, std::size_t bytes, cuda::Stream stream) {
  Context* context = nullptr;
  EGPU_STATUS(find_context(to_context, context));
  EGPU_STATUS(find_context(from_context, context));
  return copy_in(stream, on_devices(to, from, bytes), Timing::kAsynchronous);
}

Status memcpy_htod(DevicePointer to, const void* from, std::size_t bytes) {
  return copy_in(nullptr, to_device(to, from, bytes), Timing::kSynchronous);
}

Status memcpy_htod_async(DevicePointer to, const void* from, std::size_t bytes,
                         cuda::Stream stream) {
  return copy_in(stream, to_device(to, from, bytes), Timing::kAsynchronous);
}

Status memcpy_dtoh(void* to, DevicePointer from, std::size_t bytes) {
  return copy_in(nullptr, to_host(to, from, bytes), Timing::kSynchronous);
}

Status memcpy_dtoh_async(void* to, DevicePointer from, std::size_t bytes, cuda::Stream stream) {
  return copy_in(stream, to_host(to, from, bytes), Timing::kAsynchronous);
}

Status memcpy_dtod(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return copy_in(nullptr, on_devices(to, from, bytes), Timing::kSynchronous);
}

Status memcpy_dtod_async(DevicePointer to, DevicePointer from, std::size_t bytes,
                         cuda::Stream stream) {
  return copy_in(stream, on_devices(to, from, bytes), Timing::kAsynchronous);
}

Status memcpy_2d(const cuda::Copy2d* copy) {
  if (copy == nullptr) return cuda::kInvalidValue;
  return copy_in(nullptr, widen(*copy), Timing::kSynchronous);
}

Status memcpy_2d_async(const cuda::Copy2d* copy, cuda::Stream stream) {
  if (copy == nullptr) return cuda::kInvalidValue;
  return copy_in(stream, widen(*copy), Timing::kAsynchronous);
}

Status memcpy_3d(const cuda::Copy3d* copy) {
  if (copy == nullptr) return cuda::kInvalidValue;
  return copy_in(nullptr, *copy, Timing::kSynchronous);
}

Status memcpy_3d_async(const cuda::Copy3d* copy, cuda::Stream stream) {
  if (copy == nullptr) return cuda::kInvalidValue;
  return copy_in(stream, *copy, Timing::kAsynchronous);
}

}  // namespace egpu::emu::driver
