// What can be asked of addresses.
#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/memory.h"
#include "emu/driver/pools.h"

namespace egpu::emu::driver {
namespace {

template <class T>
Status answer(void* data, T value) {
  *static_cast<T*>(data) = value;
  return cuda::kSuccess;
}

void* as_pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

Status answer_about(const Allocation& allocation, cuda::PointerAttribute attribute,
                    std::uint64_t address, void* data) {
  const bool managed = allocation.kind == MemoryKind::kManaged;
  switch (attribute) {
    case cuda::kPointerContext:
      return answer(data, allocation.context != nullptr ? handle_of(*allocation.context) : nullptr);
    case cuda::kPointerMemoryType:
      return answer(data, allocation.on_host() ? cuda::kMemoryHost : cuda::kMemoryDevice);
    case cuda::kPointerDevicePointer:
      return answer(data, address);
    case cuda::kPointerHostPointer:
      if (!allocation.on_host() && !managed) return cuda::kInvalidValue;
      return answer(data, as_pointer(address));
    case cuda::kPointerSyncMemops:
      return answer(data, 0);
    case cuda::kPointerBufferId:
      return answer<unsigned long long>(data, allocation.id);
    case cuda::kPointerIsManaged:
      return answer<int>(data, managed ? 1 : 0);
    case cuda::kPointerDeviceOrdinal:
      return answer<int>(data, allocation.device->ordinal);
    case cuda::kPointerIsLegacyIpcCapable:
    case cuda::kPointerIsGpuDirectRdmaCapable:
      return answer<int>(data, 0);
    case cuda::kPointerRangeStartAddress:
      return answer(data, as_pointer(allocation.address));
    case cuda::kPointerRangeSize:
      return answer<std::size_t>(data, allocation.bytes);
    case cuda::kPointerMapped:
      return answer<int>(data, 1);
    case cuda::kPointerAllowedHandleTypes:
      return answer<unsigned long long>(data, 0);
    case cuda::kPointerAccessFlags:
      return answer<int>(data, cuda::kAccessReadWrite);
    case cuda::kPointerMempoolHandle:
      return answer(data, allocation.pool != nullptr ? handle_of(*allocation.pool) : nullptr);
    default:
      return cuda::kInvalidValue;
  }
}

// As the driver answers for memory that it does not know, where several attributes are asked for.
void answer_unknown(cuda::PointerAttribute attribute, void* data) {
  switch (attribute) {
    case cuda::kPointerMemoryType:
    case cuda::kPointerSyncMemops:
    case cuda::kPointerIsManaged:
    case cuda::kPointerIsLegacyIpcCapable:
    case cuda::kPointerIsGpuDirectRdmaCapable:
    case cuda::kPointerMapped:
    case cuda::kPointerAccessFlags:
      *static_cast<int*>(data) = 0;
      return;
    case cuda::kPointerDeviceOrdinal:
      *static_cast<int*>(data) = -2;  // CU_DEVICE_INVALID
      return;
    default:
      *static_cast<std::uint64_t*>(data) = 0;
  }
}

bool is_known(cuda::PointerAttribute attribute) {
  constexpr cuda::PointerAttribute kP2pTokens = 5;
  return attribute >= cuda::kPointerContext && attribute <= cuda::kPointerMempoolHandle &&
         attribute != kP2pTokens;
}

}  // namespace

Status pointer_get_attribute(void* data, cuda::PointerAttribute attribute, DevicePointer address) {
  EGPU_STATUS(check_driver());
  if (data == nullptr || !is_known(attribute)) return cuda::kInvalidValue;
  const auto found = find_allocation(address);
  if (!found) return cuda::kInvalidValue;
  return answer_about(*found, attribute, address, data);
}

Status pointer_get_attributes(unsigned count, cuda::PointerAttribute* attributes, void** data,
                              DevicePointer address) {
  EGPU_STATUS(check_driver());
  if (attributes == nullptr || data == nullptr) return cuda::kInvalidValue;
  const auto found = find_allocation(address);
  for (unsigned i = 0; i < count; ++i) {
    if (!is_known(attributes[i])) return cuda::kInvalidValue;
    if (!found || answer_about(*found, attributes[i], address, data[i]) != cuda::kSuccess)
      answer_unknown(attributes[i], data[i]);
  }
  return cuda::kSuccess;
}

// Copies are always as ordered as this attribute asks for.
Status pointer_set_attribute(const void* value, cuda::PointerAttribute attribute,
                             DevicePointer address) {
  EGPU_STATUS(check_driver());
  if (value == nullptr || attribute != cuda::kPointerSyncMemops) return cuda::kInvalidValue;
  return find_allocation(address) ? cuda::kSuccess : cuda::kInvalidValue;
}

}  // namespace egpu::emu::driver
