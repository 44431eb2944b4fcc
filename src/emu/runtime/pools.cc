// Stream-ordered allocation.
#include "emu/runtime/call.h"

namespace egpu::emu::runtime {

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
EGPU_API_FORMS(cudaMallocAsync, _ptsz, (void** pointer, std::size_t bytes, cuda::Stream stream),
               (pointer, bytes, stream)) {
  if (pointer == nullptr) return kInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return kSuccess;
  return EGPU_FORM(cuMemAllocAsync, _ptsz)(address_out(pointer), bytes, stream);
}

EGPU_API_FORMS(cudaMallocFromPoolAsync, _ptsz,
               (void** pointer, std::size_t bytes, cuda::MemoryPool pool, cuda::Stream stream),
               (pointer, bytes, pool, stream)) {
  if (pointer == nullptr) return kInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return kSuccess;
  return EGPU_FORM(cuMemAllocFromPoolAsync, _ptsz)(address_out(pointer), bytes, pool, stream);
}

EGPU_API_FORMS(cudaFreeAsync, _ptsz, (void* pointer, cuda::Stream stream), (pointer, stream)) {
  if (pointer == nullptr) return kSuccess;
  return EGPU_FORM(cuMemFreeAsync, _ptsz)(address(pointer), stream);
}

EGPU_API cudaMemPoolCreate(cuda::MemoryPool* pool, const cuda::PoolProperties* properties) {
  return in_context([&]() -> Error { return cuMemPoolCreate(pool, properties); });
}

EGPU_API cudaMemPoolDestroy(cuda::MemoryPool pool) {
  return in_context([&]() -> Error { return cuMemPoolDestroy(pool); });
}

EGPU_API cudaMemPoolTrimTo(cuda::MemoryPool pool, std::size_t bytes) {
  return in_context([&]() -> Error { return cuMemPoolTrimTo(pool, bytes); });
}

EGPU_API cudaMemPoolSetAttribute(cuda::MemoryPool pool, cuda::PoolAttribute attribute,
                                 void* value) {
  return in_context([&]() -> Error { return cuMemPoolSetAttribute(pool, attribute, value); });
}

EGPU_API cudaMemPoolGetAttribute(cuda::MemoryPool pool, cuda::PoolAttribute attribute,
                                 void* value) {
  return in_context([&]() -> Error { return cuMemPoolGetAttribute(pool, attribute, value); });
}

EGPU_API cudaMemPoolSetAccess(cuda::MemoryPool pool, const cuda::MemoryAccess* accesses,
                              std::size_t count) {
  return in_context([&]() -> Error { return cuMemPoolSetAccess(pool, accesses, count); });
}

EGPU_API cudaMemPoolGetAccess(int* flags, cuda::MemoryPool pool, cuda::MemoryLocation* location) {
  return in_context([&]() -> Error { return cuMemPoolGetAccess(flags, pool, location); });
}

EGPU_API cudaDeviceGetDefaultMemPool(cuda::MemoryPool* pool, int device) {
  return in_context([&]() -> Error { return cuDeviceGetDefaultMemPool(pool, device); });
}

EGPU_API cudaDeviceGetMemPool(cuda::MemoryPool* pool, int device) {
  return in_context([&]() -> Error { return cuDeviceGetMemPool(pool, device); });
}

EGPU_API cudaDeviceSetMemPool(int device, cuda::MemoryPool pool) {
  return in_context([&]() -> Error { return cuDeviceSetMemPool(device, pool); });
}
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
