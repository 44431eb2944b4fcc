// cudaPointerGetAttributes().
#include "emu/runtime/call.h"

namespace egpu::emu::runtime {
namespace {

// An attribute of the memory at `pointer`; unchanged where the driver knows nothing of it.
template <class T>
Error read(T& value, cuda::PointerAttribute attribute, const void* pointer) {
  const Error error =
      cuPointerGetAttribute(static_cast<void*>(&value), attribute, address(pointer));
  return error == kInvalidValue ? kSuccess : error;
}

MemoryType type_of(cuda::MemoryType type, bool managed) {
  if (managed) return kMemoryManaged;
  if (type == cuda::kMemoryDevice) return kMemoryDevice;
  return type == cuda::kMemoryHost ? kMemoryHost : kMemoryUnregistered;
}

Error describe(const void* pointer, PointerAttributes& attributes) {
  cuda::MemoryType type = 0;
  unsigned managed = 0;
  int device = kInvalidDeviceId;
  EGPU_CHECK(read(type, cuda::kPointerMemoryType, pointer));
  EGPU_CHECK(read(managed, cuda::kPointerIsManaged, pointer));
  attributes.type = type_of(type, managed != 0);
  if (attributes.type != kMemoryUnregistered) {
    EGPU_CHECK(read(device, cuda::kPointerDeviceOrdinal, pointer));
    EGPU_CHECK(read(attributes.device_pointer, cuda::kPointerDevicePointer, pointer));
  }
  attributes.device = device;
  if (attributes.type != kMemoryDevice) attributes.host_pointer = const_cast<void*>(pointer);
  return kSuccess;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the runtime's name
EGPU_API cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return in_context([&]() -> Error {
    if (attributes == nullptr) return kInvalidValue;
    *attributes = {};
    return describe(pointer, *attributes);
  });
}

}  // namespace egpu::emu::runtime
