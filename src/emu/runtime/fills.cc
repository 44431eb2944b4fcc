// cudaMemset and its forms: bytes, also in rows and boxes.
#include "emu/runtime/call.h"

namespace egpu::emu::runtime {
namespace {

// The rows of a box lie one behind the other: slice after slice, `height` of them each.
struct Rows {
  std::size_t pitch, width, height;
};

// A box whose slices have other rows between them is filled slice by slice.
template <class Fill>
Error fill_box(const PitchedPointer& box, const Extent& extent, Fill&& fill) {
  if (extent.width == 0 || extent.height == 0) return kSuccess;
  if (extent.height == box.height)
    return extent.depth == 0 ? kSuccess
                             : fill(address(box.pointer),
                                    Rows{box.pitch, extent.width, extent.height * extent.depth});
  for (std::size_t slice = 0; slice < extent.depth; ++slice)
    EGPU_CHECK(fill(address(box.pointer) + slice * box.pitch * box.height,
                    Rows{box.pitch, extent.width, extent.height}));
  return kSuccess;
}

unsigned char byte_of(int value) { return static_cast<unsigned char>(value); }

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
EGPU_API_FORMS(cudaMemset, _ptds, (void* pointer, int value, std::size_t bytes),
               (pointer, value, bytes)) {
  if (bytes == 0) return kSuccess;
  return EGPU_FORM(cuMemsetD8_v2, _ptds)(address(pointer), byte_of(value), bytes);
}

EGPU_API_FORMS(cudaMemsetAsync, _ptsz,
               (void* pointer, int value, std::size_t bytes, cuda::Stream stream),
               (pointer, value, bytes, stream)) {
  if (bytes == 0) return kSuccess;
  return EGPU_FORM(cuMemsetD8Async, _ptsz)(address(pointer), byte_of(value), bytes, stream);
}

EGPU_API_FORMS(cudaMemset2D, _ptds,
               (void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height),
               (pointer, pitch, value, width, height)) {
  if (width == 0 || height == 0) return kSuccess;
  return EGPU_FORM(cuMemsetD2D8_v2, _ptds)(address(pointer), pitch, byte_of(value), width, height);
}

EGPU_API_FORMS(cudaMemset2DAsync, _ptsz,
               (void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height,
                cuda::Stream stream),
               (pointer, pitch, value, width, height, stream)) {
  if (width == 0 || height == 0) return kSuccess;
  return EGPU_FORM(cuMemsetD2D8Async, _ptsz)(address(pointer), pitch, byte_of(value), width, height,
                                             stream);
}

EGPU_API_FORMS(cudaMemset3D, _ptds, (PitchedPointer box, int value, Extent extent),
               (box, value, extent)) {
  return fill_box(box, extent, [&](cuda::DevicePointer start, const Rows& rows) -> Error {
    return EGPU_FORM(cuMemsetD2D8_v2, _ptds)(start, rows.pitch, byte_of(value), rows.width,
                                             rows.height);
  });
}

EGPU_API_FORMS(cudaMemset3DAsync, _ptsz,
               (PitchedPointer box, int value, Extent extent, cuda::Stream stream),
               (box, value, extent, stream)) {
  return fill_box(box, extent, [&](cuda::DevicePointer start, const Rows& rows) -> Error {
    return EGPU_FORM(cuMemsetD2D8Async, _ptsz)(start, rows.pitch, byte_of(value), rows.width,
                                               rows.height, stream);
  });
}
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
