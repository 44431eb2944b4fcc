// What the NVML stand-in asks the driver stand-in, where a process has both.
#pragma once

#include <cstdint>

// Bytes of the device's memory that this process uses; 0 before cuInit. Looked up by name.
// NOLINTNEXTLINE(readability-identifier-naming): like the names around it
extern "C" std::uint64_t egpuEmulatedMemoryInUse(int ordinal);

namespace egpu::emu::driver {
using MemoryInUse = std::uint64_t (*)(int ordinal);
inline constexpr char kMemoryInUse[] = "egpuEmulatedMemoryInUse";
}  // namespace egpu::emu::driver
