#include "emu/driver/capture.h"
#include "emu/driver/copies.h"
#include "emu/driver/functions.h"
#include "emu/driver/memory.h"
#include "emu/driver/streams.h"

namespace egpu::emu::driver {
namespace {

Status fill(cuda::Stream handle, const cuda::MemsetNodeParameters& what) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (what.width == 0 || what.height == 0) return cuda::kSuccess;
  EGPU_STATUS(check_fill(what));
  return enqueue(stream, Fill{.what = what});
}

// Of the functions without a stream: waits, as it may be host memory that is filled.
Status fill_now(const cuda::MemsetNodeParameters& what) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(nullptr, stream));
  EGPU_STATUS(check_unsafe_in_capture());
  if (what.width == 0 || what.height == 0) return cuda::kSuccess;
  EGPU_STATUS(check_fill(what));
  return enqueue_and_wait(stream, Fill{.what = what});
}

cuda::MemsetNodeParameters linear(DevicePointer to, unsigned value, unsigned element,
                                  std::size_t count) {
  return {.destination = to,
          .pitch = 0,
          .value = value,
          .element_size = element,
          .width = count,
          .height = 1};
}

cuda::MemsetNodeParameters rows(DevicePointer to, std::size_t pitch, unsigned value,
                                unsigned element, std::size_t width, std::size_t height) {
  return {.destination = to,
          .pitch = pitch,
          .value = value,
          .element_size = element,
          .width = width,
          .height = height};
}

}  // namespace

Status check_fill(const cuda::MemsetNodeParameters& fill) {
  const unsigned element = fill.element_size;
  if (element != 1 && element != 2 && element != 4) return cuda::kInvalidValue;
  if (fill.destination % element != 0) return cuda::kInvalidValue;
  if (fill.height > 1 && (fill.pitch % element != 0 || fill.pitch / element < fill.width))
    return cuda::kInvalidValue;
  const Extent extent = extent_of(fill);
  return covers(extent.first, extent.bytes) ? cuda::kSuccess : cuda::kInvalidValue;
}

Status memset_d8(DevicePointer to, unsigned char value, std::size_t count) {
  return fill_now(linear(to, value, 1, count));
}
Status memset_d16(DevicePointer to, unsigned short value, std::size_t count) {
  return fill_now(linear(to, value, 2, count));
}
Status memset_d32(DevicePointer to, unsigned value, std::size_t count) {
  return fill_now(linear(to, value, 4, count));
}
Status memset_2d_d8(DevicePointer to, std::size_t pitch, unsigned char value, std::size_t width,
                    std::size_t height) {
  return fill_now(rows(to, pitch, value, 1, width, height));
}
Status memset_2d_d16(DevicePointer to, std::size_t pitch, unsigned short value, std::size_t width,
                     std::size_t height) {
  return fill_now(rows(to, pitch, value, 2, width, height));
}
Status memset_2d_d32(DevicePointer to, std::size_t pitch, unsigned value, std::size_t width,
                     std::size_t height) {
  return fill_now(rows(to, pitch, value, 4, width, height));
}

Status memset_d8_async(DevicePointer to, unsigned char value, std::size_t count,
                       cuda::Stream stream) {
  return fill(stream, linear(to, value, 1, count));
}
Status memset_d16_async(DevicePointer to, unsigned short value, std::size_t count,
                        cuda::Stream stream) {
  return fill(stream, linear(to, value, 2, count));
}
Status memset_d32_async(DevicePointer to, unsigned value, std::size_t count, cuda::Stream stream) {
  return fill(stream, linear(to, value, 4, count));
}
Status memset_2d_d8_async(DevicePointer to, std::size_t pitch, unsigned char value,
                          std::size_t width, std::size_t height, cuda::Stream stream) {
  return fill(stream, rows(to, pitch, value, 1, width, height));
}
Status memset_2d_d16_async(DevicePointer to, std::size_t pitch, unsigned short value,
                           std::size_t width, std::size_t height, cuda::Stream stream) {
  return fill(stream, rows(to, pitch, value, 2, width, height));
}
Status memset_2d_d32_async(DevicePointer to, std::size_t pitch, unsigned value, std::size_t width,
                           std::size_t height, cuda::Stream stream) {
  return fill(stream, rows(to, pitch, value, 4, width, height));
}

}  // namespace egpu::emu::driver
