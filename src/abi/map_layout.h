// Where the memory of a map holds what. One text for C and C++: the GPU runtime (src/device), the
// code generator, the injected library, which allocates it, and the service, which reads copies of
// it.
//
// Memory that is all zeros is a map without elements, or an array of zeros: nobody prepares it.
// Every size is a multiple of 128 bytes, so that maps and shards share no cache line. Numbers are
// native 32 and 64-bit ones at multiples of their size. While kernels run, the threads of the
// device alone write here.
//
// ARRAY: max_entries values, each value_stride() after the one before. PERCPU_ARRAY: one such array
// for each shard, array_bytes() apart.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
#define EGPU_LAYOUT constexpr
namespace egpu::abi {
#else
#define EGPU_LAYOUT static inline
#endif

EGPU_LAYOUT uint64_t whole_lines(uint64_t bytes) { return (bytes + 127) / 128 * 128; }

// Small values lie densely: writing every one of them then writes whole sectors of memory.
EGPU_LAYOUT uint64_t value_stride(uint64_t value_size) {
  return value_size <= 4 ? 4 : (value_size + 7) / 8 * 8;
}

EGPU_LAYOUT uint64_t array_bytes(uint64_t value_size, uint64_t max_entries) {
  return whole_lines(value_stride(value_size) * max_entries);
}

#ifdef __cplusplus
}  // namespace egpu::abi
#endif
#undef EGPU_LAYOUT
