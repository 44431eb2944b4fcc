// eBPF atomics on map values, for values in this GPU's own memory.
//
// Inline PTX, because LLVM's NVPTX back end drops ordering and scope of `atomicrmw`. Without fetch:
// relaxed, as in the kernel's memory model. With fetch, exchange and compare-exchange: the kernel
// promises full ordering; acquire-release at .gpu scope is what the programs' lock-free patterns
// need.

#include "types.h"

#define DEFINE_REDUCE(name, operation, bits, constraint)                      \
  EGPU_RUNTIME void egpu_reduce_##name##_##bits(u64 address, u##bits value) { \
    __asm__ volatile("red.relaxed.gpu.global." operation " [%0], %1;"         \
                     :                                                        \
                     : "l"(address), constraint(value)                        \
                     : "memory");                                             \
  }

#define DEFINE_FETCH(name, operation, bits, constraint)                         \
  EGPU_RUNTIME u##bits egpu_fetch_##name##_##bits(u64 address, u##bits value) { \
    u##bits old;                                                                \
    __asm__ volatile("atom.acq_rel.gpu.global." operation " %0, [%1], %2;"      \
                     : "=" constraint(old)                                      \
                     : "l"(address), constraint(value)                          \
                     : "memory");                                               \
    return old;                                                                 \
  }

#define DEFINE_COMPARE_EXCHANGE(bits, constraint)                                  \
  EGPU_RUNTIME u##bits egpu_compare_exchange_##bits(u64 address, u##bits expected, \
                                                    u##bits desired) {             \
    u##bits old;                                                                   \
    __asm__ volatile("atom.acq_rel.gpu.global.cas.b" #bits " %0, [%1], %2, %3;"    \
                     : "=" constraint(old)                                         \
                     : "l"(address), constraint(expected), constraint(desired)     \
                     : "memory");                                                  \
    return old;                                                                    \
  }

#define DEFINE_WIDTH(bits, constraint)                     \
  DEFINE_REDUCE(add, "add.u" #bits, bits, constraint)      \
  DEFINE_REDUCE(or, "or.b" #bits, bits, constraint)        \
  DEFINE_REDUCE(and, "and.b" #bits, bits, constraint)      \
  DEFINE_REDUCE(xor, "xor.b" #bits, bits, constraint)      \
  DEFINE_FETCH(add, "add.u" #bits, bits, constraint)       \
  DEFINE_FETCH(or, "or.b" #bits, bits, constraint)         \
  DEFINE_FETCH(and, "and.b" #bits, bits, constraint)       \
  DEFINE_FETCH(xor, "xor.b" #bits, bits, constraint)       \
  DEFINE_FETCH(exchange, "exch.b" #bits, bits, constraint) \
  DEFINE_COMPARE_EXCHANGE(bits, constraint)

DEFINE_WIDTH(32, "r")
DEFINE_WIDTH(64, "l")
