#include "device/device_runtime.h"

#include <cstddef>
#include <cstdint>

// Defined by device_runtime.S.
extern "C" {
extern const std::byte egpu_device_runtime_begin[];
extern const std::uint64_t egpu_device_runtime_size;
}

namespace egpu::device {

Bytes device_runtime_bitcode() { return {egpu_device_runtime_begin, egpu_device_runtime_size}; }

}  // namespace egpu::device
