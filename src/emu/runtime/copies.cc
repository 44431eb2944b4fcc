// Copies, also those from and to variables of a module, and fills.
#include "emu/runtime/call.h"
#include "emu/runtime/copy_parameters.h"
#include "emu/runtime/registry.h"

namespace egpu::emu::runtime {
namespace {

template <bool per_thread>
Error copy(void* destination, const void* source, std::size_t bytes, CopyKind kind) {
  EGPU_CHECK(check_kind(kind));
  if (bytes == 0) return kSuccess;
  const cuda::DevicePointer to = address(destination);
  const cuda::DevicePointer from = address(source);
  switch (kind) {
    case kHostToDevice:
      return EGPU_FORM(cuMemcpyHtoD_v2, _ptds)(to, source, bytes);
    case kDeviceToHost:
      return EGPU_FORM(cuMemcpyDtoH_v2, _ptds)(destination, from, bytes);
    case kDeviceToDevice:
      return EGPU_FORM(cuMemcpyDtoD_v2, _ptds)(to, from, bytes);
    default:
      return EGPU_FORM(cuMemcpy, _ptds)(to, from, bytes);
  }
}

template <bool per_thread>
Error copy_async(void* destination, const void* source, std::size_t bytes, CopyKind kind,
                 cuda::Stream stream) {
  EGPU_CHECK(check_kind(kind));
  if (bytes == 0) return kSuccess;
  const cuda::DevicePointer to = address(destination);
  const cuda::DevicePointer from = address(source);
  switch (kind) {
    case kHostToDevice:
      return EGPU_FORM(cuMemcpyHtoDAsync_v2, _ptsz)(to, source, bytes, stream);
    case kDeviceToHost:
      return EGPU_FORM(cuMemcpyDtoHAsync_v2, _ptsz)(destination, from, bytes, stream);
    case kDeviceToDevice:
      return EGPU_FORM(cuMemcpyDtoDAsync_v2, _ptsz)(to, from, bytes, stream);
    default:
      return EGPU_FORM(cuMemcpyAsync, _ptsz)(to, from, bytes, stream);
  }
}

// Rows as a copy in three dimensions.
Copy3d rows(void* destination, std::size_t destination_pitch, const void* source,
            std::size_t source_pitch, std::size_t width, std::size_t height, CopyKind kind) {
  Copy3d copy = linear_copy(destination, source, width, kind);
  copy.source.pitch = source_pitch;
  copy.source.height = height;
  copy.destination.pitch = destination_pitch;
  copy.destination.height = height;
  copy.extent.height = height;
  return copy;
}

bool is_empty(const Extent& extent) {
  return extent.width == 0 || extent.height == 0 || extent.depth == 0;
}

template <bool per_thread, class Parameters>
Error copy_box(const Parameters* parameters) {
  if (parameters == nullptr) return kInvalidValue;
  cuda::Copy3d copy{};
  EGPU_CHECK(driver_copy(*parameters, copy));
  return is_empty(parameters->extent) ? kSuccess : EGPU_FORM(cuMemcpy3D_v2, _ptds)(&copy);
}

template <bool per_thread, class Parameters>
Error copy_box_async(const Parameters* parameters, cuda::Stream stream) {
  if (parameters == nullptr) return kInvalidValue;
  cuda::Copy3d copy{};
  EGPU_CHECK(driver_copy(*parameters, copy));
  return is_empty(parameters->extent) ? kSuccess
                                      : EGPU_FORM(cuMemcpy3DAsync_v2, _ptsz)(&copy, stream);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
EGPU_API_FORMS(cudaMemcpy, _ptds,
               (void* destination, const void* source, std::size_t bytes, CopyKind kind),
               (destination, source, bytes, kind)) {
  return copy<per_thread>(destination, source, bytes, kind);
}

EGPU_API_FORMS(cudaMemcpyAsync, _ptsz,
               (void* destination, const void* source, std::size_t bytes, CopyKind kind,
                cuda::Stream stream),
               (destination, source, bytes, kind, stream)) {
  return copy_async<per_thread>(destination, source, bytes, kind, stream);
}

// One address space for all devices: which one a copy is for follows from the addresses.
EGPU_API cudaMemcpyPeer(void* destination, int, const void* source, int, std::size_t bytes) {
  return in_context(
      [&]() -> Error { return copy<false>(destination, source, bytes, kCopyDefault); });
}

EGPU_API cudaMemcpyPeerAsync(void* destination, int, const void* source, int, std::size_t bytes,
                             cuda::Stream stream) {
  return in_context([&]() -> Error {
    return copy_async<false>(destination, source, bytes, kCopyDefault, stream);
  });
}

EGPU_API_FORMS(cudaMemcpy2D, _ptds,
               (void* destination, std::size_t destination_pitch, const void* source,
                std::size_t source_pitch, std::size_t width, std::size_t height, CopyKind kind),
               (destination, destination_pitch, source, source_pitch, width, height, kind)) {
  const Copy3d copy =
      rows(destination, destination_pitch, source, source_pitch, width, height, kind);
  return copy_box<per_thread>(&copy);
}

EGPU_API_FORMS(cudaMemcpy2DAsync, _ptsz,
               (void* destination, std::size_t destination_pitch, const void* source,
                std::size_t source_pitch, std::size_t width, std::size_t height, CopyKind kind,
                cuda::Stream stream),
               (destination, destination_pitch, source, source_pitch, width, height, kind,
                stream)) {
  const Copy3d copy =
      rows(destination, destination_pitch, source, source_pitch, width, height, kind);
  return copy_box_async<per_thread>(&copy, stream);
}

EGPU_API_FORMS(cudaMemcpy3D, _ptds, (const Copy3d* parameters), (parameters)) {
  return copy_box<per_thread>(parameters);
}

EGPU_API_FORMS(cudaMemcpy3DAsync, _ptsz, (const Copy3d* parameters, cuda::Stream stream),
               (parameters, stream)) {
  return copy_box_async<per_thread>(parameters, stream);
}

EGPU_API_FORMS(cudaMemcpy3DPeer, _ptds, (const PeerCopy3d* parameters), (parameters)) {
  return copy_box<per_thread>(parameters);
}

EGPU_API_FORMS(cudaMemcpy3DPeerAsync, _ptsz, (const PeerCopy3d* parameters, cuda::Stream stream),
               (parameters, stream)) {
  return copy_box_async<per_thread>(parameters, stream);
}

EGPU_API_FORMS(cudaMemcpyToSymbol, _ptds,
               (const void* symbol, const void* source, std::size_t bytes, std::size_t offset,
                CopyKind kind),
               (symbol, source, bytes, offset, kind)) {
  void* destination = nullptr;
  EGPU_CHECK(find_part(symbol, bytes, offset, destination));
  return copy<per_thread>(destination, source, bytes, kind);
}

EGPU_API_FORMS(cudaMemcpyFromSymbol, _ptds,
               (void* destination, const void* symbol, std::size_t bytes, std::size_t offset,
                CopyKind kind),
               (destination, symbol, bytes, offset, kind)) {
  void* source = nullptr;
  EGPU_CHECK(find_part(symbol, bytes, offset, source));
  return copy<per_thread>(destination, source, bytes, kind);
}

EGPU_API_FORMS(cudaMemcpyToSymbolAsync, _ptsz,
               (const void* symbol, const void* source, std::size_t bytes, std::size_t offset,
                CopyKind kind, cuda::Stream stream),
               (symbol, source, bytes, offset, kind, stream)) {
  void* destination = nullptr;
  EGPU_CHECK(find_part(symbol, bytes, offset, destination));
  return copy_async<per_thread>(destination, source, bytes, kind, stream);
}

EGPU_API_FORMS(cudaMemcpyFromSymbolAsync, _ptsz,
               (void* destination, const void* symbol, std::size_t bytes, std::size_t offset,
                CopyKind kind, cuda::Stream stream),
               (destination, symbol, bytes, offset, kind, stream)) {
  void* source = nullptr;
  EGPU_CHECK(find_part(symbol, bytes, offset, source));
  return copy_async<per_thread>(destination, source, bytes, kind, stream);
}

EGPU_API cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return in_context([&]() -> Error {
    if (pointer == nullptr) return kInvalidValue;
    Symbol found;
    EGPU_CHECK(find_symbol(symbol, found));
    *pointer = found.address;
    return kSuccess;
  });
}

EGPU_API cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return in_context([&]() -> Error {
    if (bytes == nullptr) return kInvalidValue;
    Symbol found;
    EGPU_CHECK(find_symbol(symbol, found));
    *bytes = found.bytes;
    return kSuccess;
  });
}
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
