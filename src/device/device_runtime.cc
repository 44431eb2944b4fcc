#include "device/device_runtime.h"

#include <cstddef>
#include <cstdint>

// Defined by device_runtime.S.
extern "C" {
extern const std::byte kEgpuDeviceRuntimeBegin[];
extern const std::uint64_t kEgpuDeviceRuntimeSize;
}

namespace egpu::device {

Bytes device_runtime_bitcode() { return {kEgpuDeviceRuntimeBegin, kEgpuDeviceRuntimeSize}; }

}  // namespace egpu::device
