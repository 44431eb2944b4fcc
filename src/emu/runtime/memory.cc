// Allocation of device, host and managed memory.
#include "emu/runtime/call.h"

namespace egpu::emu::runtime {
namespace {

// The element size that the driver aligns rows for: the widest access of a thread.
constexpr unsigned kPitchElement = 16;

Error allocate(void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return kInvalidValue;
  *pointer = nullptr;
  return bytes == 0 ? kSuccess : cuMemAlloc_v2(address_out(pointer), bytes);
}

Error allocate_pitched(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  if (pointer == nullptr || pitch == nullptr) return kInvalidValue;
  *pointer = nullptr;
  *pitch = 0;
  if (width == 0 || height == 0) return kSuccess;
  return cuMemAllocPitch_v2(address_out(pointer), pitch, width, height, kPitchElement);
}

Error allocate_host(void** pointer, std::size_t bytes, unsigned flags) {
  if (pointer == nullptr) return kInvalidValue;
  *pointer = nullptr;
  return bytes == 0 ? kSuccess : cuMemHostAlloc(pointer, bytes, flags);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
EGPU_API cudaMalloc(void** pointer, std::size_t bytes) {
  return in_context([&]() -> Error { return allocate(pointer, bytes); });
}

EGPU_API cudaFree(void* pointer) {
  return in_context(
      [&]() -> Error { return pointer == nullptr ? kSuccess : cuMemFree_v2(address(pointer)); });
}

EGPU_API cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                         std::size_t height) {
  return in_context([&]() -> Error { return allocate_pitched(pointer, pitch, width, height); });
}

EGPU_API cudaMalloc3D(PitchedPointer* result, Extent extent) {
  return in_context([&]() -> Error {
    if (result == nullptr) return kInvalidValue;
    result->width = extent.width;
    result->height = extent.height;
    return allocate_pitched(&result->pointer, &result->pitch, extent.width,
                            extent.height * extent.depth);
  });
}

EGPU_API cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return in_context([&]() -> Error {
    if (pointer == nullptr || bytes == 0) return kInvalidValue;
    return cuMemAllocManaged(address_out(pointer), bytes, flags);
  });
}

EGPU_API cudaMallocHost(void** pointer, std::size_t bytes) {
  return in_context([&]() -> Error { return allocate_host(pointer, bytes, 0); });
}

EGPU_API cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return in_context([&]() -> Error { return allocate_host(pointer, bytes, flags); });
}

EGPU_API cudaFreeHost(void* pointer) {
  return in_context(
      [&]() -> Error { return pointer == nullptr ? kSuccess : cuMemFreeHost(pointer); });
}

EGPU_API cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return in_context([&]() -> Error { return cuMemHostRegister_v2(pointer, bytes, flags); });
}

EGPU_API cudaHostUnregister(void* pointer) {
  return in_context([&]() -> Error { return cuMemHostUnregister(pointer); });
}

EGPU_API cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return in_context(
      [&]() -> Error { return cuMemHostGetDevicePointer_v2(address_out(device), host, flags); });
}

EGPU_API cudaHostGetFlags(unsigned* flags, void* pointer) {
  return in_context([&]() -> Error { return cuMemHostGetFlags(flags, pointer); });
}

EGPU_API cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return in_context([&]() -> Error { return cuMemGetInfo_v2(free, total); });
}

EGPU_API cudaMemAdvise(const void* pointer, std::size_t bytes, int advice,
                       cuda::MemoryLocation location) {
  return in_context(
      [&]() -> Error { return cuMemAdvise_v2(address(pointer), bytes, advice, location); });
}

EGPU_API_FORMS(cudaMemPrefetchAsync, _ptsz,
               (const void* pointer, std::size_t bytes, cuda::MemoryLocation location,
                unsigned flags, cuda::Stream stream),
               (pointer, bytes, location, flags, stream)) {
  return EGPU_FORM(cuMemPrefetchAsync_v2, _ptsz)(address(pointer), bytes, location, flags, stream);
}

EGPU_API_FORMS(cudaStreamAttachMemAsync, _ptsz,
               (cuda::Stream stream, void* pointer, std::size_t bytes, unsigned flags),
               (stream, pointer, bytes, flags)) {
  return EGPU_FORM(cuStreamAttachMemAsync, _ptsz)(stream, address(pointer), bytes, flags);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
