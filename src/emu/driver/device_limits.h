// What the emulated devices can do. Threads, registers and shared memory are those of an H200, so
// that programs tuned for one run unchanged; multiprocessors are few, as a grid made to fill the
// device should not be larger than a CPU runs in reasonable time.
#pragma once

#include <cstdint>

namespace egpu::emu::driver {

inline constexpr unsigned kComputeMajor = 9;
inline constexpr unsigned kComputeMinor = 0;
inline constexpr unsigned kMultiprocessors = 8;
inline constexpr unsigned kWarpLanes = 32;

inline constexpr unsigned kMaxBlockThreads = 1024;
inline constexpr unsigned kMaxBlockDim[3] = {1024, 1024, 64};
inline constexpr unsigned kMaxGridDim[3] = {0x7fffffff, 65535, 65535};
inline constexpr unsigned kMaxClusterBlocks = 8;              // portable
inline constexpr unsigned kMaxNonPortableClusterBlocks = 16;  // where the kernel allows it

inline constexpr unsigned kSharedPerBlock = 48 << 10;        // static and dynamic, by default
inline constexpr unsigned kSharedPerBlockOptin = 227 << 10;  // where the kernel's attribute says so
inline constexpr unsigned kSharedReserved = 1 << 10;         // of each block, by the driver
inline constexpr unsigned kSharedPerMultiprocessor = 228 << 10;

inline constexpr unsigned kRegistersPerBlock = 65536;
inline constexpr unsigned kRegistersPerMultiprocessor = 65536;
inline constexpr unsigned kMaxMultiprocessorThreads = 2048;
inline constexpr unsigned kMaxMultiprocessorBlocks = 32;

inline constexpr unsigned kConstantBytes = 64 << 10;
inline constexpr unsigned kMaxParameterBytes = 32764;
inline constexpr int kGreatestStreamPriority = -5;  // smaller is more urgent; 0 is the least

}  // namespace egpu::emu::driver
