// A raw program on the GPU: a kernel for one thread, and the memory that its launch brings.
//
// Parameters of the kernel, each 64 bits wide, in this order:
//   memory  address of the program's memory (r1)
//   size    its bytes (r2)
//   stacks  kRawStacksBytes of memory, for no other thread's use
//   result  address of 8 bytes that receive r0
// All of it is global memory, stacks too: PTX has no atomics on local memory.
#pragma once

#include <cstdint>

namespace egpu::abi {

inline constexpr std::uint32_t kRawStackBytes = 512;  // of each function
inline constexpr std::uint32_t kRawFrames = 8;        // calls nest no deeper
inline constexpr std::uint32_t kRawStacksBytes = kRawStackBytes * kRawFrames;

}  // namespace egpu::abi
