// Types of the map and GPU runtime. Freestanding C: no header of any toolkit.
#pragma once

typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32;
typedef __UINT64_TYPE__ u64;

// The runtime is called by name from generated code and must vanish into it on the GPU: a call
// costs more than what most of these functions do.
#ifdef __NVPTX__
#define EGPU_RUNTIME __attribute__((always_inline, visibility("hidden")))
#define EGPU_INLINE inline __attribute__((always_inline))  // of what they consist of
// Before a loop that is seldom run twice: not unrolled, for probes are copied to every exit.
#define EGPU_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define EGPU_RUNTIME __attribute__((visibility("hidden")))
#define EGPU_INLINE inline
#define EGPU_ROLLED
#endif

// Addresses of map memory are plain u64 numbers here: eBPF registers hold them, and code generation
// gives them back their address space where memory is touched.
