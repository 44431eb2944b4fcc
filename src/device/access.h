// Memory that several threads use at a time, on the GPU and on the host. Addresses of map memory
// are numbers; on the GPU it is global memory, and ordering and scope are those of the PTX memory
// model.
//
// Inline PTX, because LLVM's NVPTX back end drops ordering and scope of atomics (atomics.c).
#pragma once

#include "types.h"

#ifdef __NVPTX__

u32 egpu_fetch_add_32(u64 address, u32 value);
u32 egpu_fetch_or_32(u64 address, u32 value);
u64 egpu_compare_exchange_64(u64 address, u64 expected, u64 desired);
void egpu_reduce_add_32(u64 address, u32 value);
void egpu_reduce_add_64(u64 address, u64 value);

#define DEFINE_LOAD(order, bits, constraint, ...)                    \
  static inline u##bits egpu_load_##order##_##bits(u64 address) {    \
    u##bits value;                                                   \
    __asm__ volatile("ld." #order ".gpu.global.b" #bits " %0, [%1];" \
                     : "=" constraint(value)                         \
                     : "l"(address)                                  \
                     : __VA_ARGS__);                                 \
    return value;                                                    \
  }
DEFINE_LOAD(relaxed, 32, "r")
DEFINE_LOAD(relaxed, 64, "l")
DEFINE_LOAD(acquire, 64, "l", "memory")
#undef DEFINE_LOAD

// A word as it is or once was: the SM's cache may answer, faster than it does a relaxed load of
// .cta scope. Words are read whole.
#define DEFINE_CACHED_LOAD(bits, constraint)                   \
  static inline u##bits egpu_load_cached_##bits(u64 address) { \
    u##bits value;                                             \
    __asm__ volatile("ld.weak.global.b" #bits " %0, [%1];"     \
                     : "=" constraint(value)                   \
                     : "l"(address));                          \
    return value;                                              \
  }
DEFINE_CACHED_LOAD(32, "r")
DEFINE_CACHED_LOAD(64, "l")
#undef DEFINE_CACHED_LOAD

#define DEFINE_STORE(order, bits, type, constraint)                            \
  static inline void egpu_store_##order##_##bits(u64 address, u##bits value) { \
    __asm__ volatile("st." #order ".gpu.global.b" #bits " [%0], %1;"           \
                     :                                                         \
                     : "l"(address), constraint((type)value)                   \
                     : "memory");                                              \
  }
DEFINE_STORE(relaxed, 8, u16, "h")
DEFINE_STORE(relaxed, 16, u16, "h")
DEFINE_STORE(relaxed, 32, u32, "r")
DEFINE_STORE(relaxed, 64, u64, "l")
DEFINE_STORE(release, 32, u32, "r")
DEFINE_STORE(release, 64, u64, "l")
#undef DEFINE_STORE

// What other threads see of this thread's later stores comes after its earlier ones.
static inline void egpu_fence(void) { __asm__ volatile("fence.acq_rel.gpu;" ::: "memory"); }

// Lets others go on for a while: longer with every attempt, up to some microseconds.
static inline void egpu_back_off(u32 attempt) {
  u32 nanoseconds = 32u << (attempt < 8 ? attempt : 8);
  __asm__ volatile("nanosleep.u32 %0;" : : "r"(nanoseconds) : "memory");
}

// Relaxed, for a number that tells where to go on, never that other memory is ready.
static inline u64 egpu_fetch_add_relaxed_64(u64 address, u64 value) {
  u64 old;
  __asm__ volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                   : "=l"(old)
                   : "l"(address), "l"(value)
                   : "memory");
  return old;
}
// Of signed numbers.
static inline void egpu_reduce_min_64(u64 address, u64 value) {
  __asm__ volatile("red.relaxed.gpu.global.min.s64 [%0], %1;"
                   :
                   : "l"(address), "l"(value)
                   : "memory");
}

// What this thread stored is there before it counts. Waits as a fence does, but leaves what the SM
// has in its cache.
static inline void egpu_reduce_add_release_32(u64 address, u32 value) {
  __asm__ volatile("red.release.gpu.global.add.u32 [%0], %1;"
                   :
                   : "l"(address), "r"(value)
                   : "memory");
}

// What the threads of one SM leave each other for cached loads.
static inline void egpu_store_hint_32(u64 address, u32 value) {
  __asm__ volatile("st.relaxed.cta.global.b32 [%0], %1;" : : "l"(address), "r"(value) : "memory");
}

// Memory that no other thread uses now.
#define EGPU_GLOBAL __attribute__((address_space(1)))

// The shard of this thread's SM. %smid can exceed the number of SMs that the host counted (the PTX
// specification does not promise contiguous numbers): such SMs share the last shard, which costs
// time, never a count. A minimum and no branch: ptxas must see that the shard is the same for the
// whole SM to add up a warp's atomics.
static inline u32 egpu_own_shard(u32 shards) {
  u32 sm = __nvvm_read_ptx_sreg_smid();
  u32 last = shards - 1;
  return sm < last ? sm : last;
}

// Which of its SM's warps this is; it may change while the warp runs.
static inline u32 egpu_warp_slot(void) { return __nvvm_read_ptx_sreg_warpid(); }

#else

#include <sched.h>

#define DEFINE_ACCESS(order, bits)                                      \
  static inline u##bits egpu_load_##order##_##bits(u64 address) {       \
    return __atomic_load_n((const u##bits*)address, EGPU_LOAD_##order); \
  }
#define EGPU_LOAD_relaxed __ATOMIC_RELAXED
#define EGPU_LOAD_acquire __ATOMIC_ACQUIRE
DEFINE_ACCESS(relaxed, 32)
DEFINE_ACCESS(relaxed, 64)
DEFINE_ACCESS(acquire, 64)
#undef DEFINE_ACCESS

#define DEFINE_STORE(order, constant, bits)                                    \
  static inline void egpu_store_##order##_##bits(u64 address, u##bits value) { \
    __atomic_store_n((u##bits*)address, value, constant);                      \
  }
DEFINE_STORE(relaxed, __ATOMIC_RELAXED, 8)
DEFINE_STORE(relaxed, __ATOMIC_RELAXED, 16)
DEFINE_STORE(relaxed, __ATOMIC_RELAXED, 32)
DEFINE_STORE(relaxed, __ATOMIC_RELAXED, 64)
DEFINE_STORE(release, __ATOMIC_RELEASE, 32)
DEFINE_STORE(release, __ATOMIC_RELEASE, 64)
#undef DEFINE_STORE

static inline u32 egpu_fetch_add_32(u64 address, u32 value) {
  return __atomic_fetch_add((u32*)address, value, __ATOMIC_ACQ_REL);
}
static inline u32 egpu_fetch_or_32(u64 address, u32 value) {
  return __atomic_fetch_or((u32*)address, value, __ATOMIC_ACQ_REL);
}
static inline u64 egpu_compare_exchange_64(u64 address, u64 expected, u64 desired) {
  __atomic_compare_exchange_n((u64*)address, &expected, desired, 0, __ATOMIC_ACQ_REL,
                              __ATOMIC_ACQUIRE);
  return expected;
}
static inline void egpu_reduce_add_32(u64 address, u32 value) {
  __atomic_fetch_add((u32*)address, value, __ATOMIC_RELAXED);
}
static inline void egpu_reduce_add_release_32(u64 address, u32 value) {
  __atomic_fetch_add((u32*)address, value, __ATOMIC_RELEASE);
}
static inline void egpu_reduce_add_64(u64 address, u64 value) {
  __atomic_fetch_add((u64*)address, value, __ATOMIC_RELAXED);
}
static inline u64 egpu_fetch_add_relaxed_64(u64 address, u64 value) {
  return __atomic_fetch_add((u64*)address, value, __ATOMIC_RELAXED);
}
static inline void egpu_reduce_min_64(u64 address, u64 value) {
  u64 old = egpu_load_relaxed_64(address);
  while ((long long)value < (long long)old &&
         !__atomic_compare_exchange_n((u64*)address, &old, value, 0, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
}
static inline u32 egpu_load_cached_32(u64 address) { return egpu_load_relaxed_32(address); }
static inline u64 egpu_load_cached_64(u64 address) { return egpu_load_relaxed_64(address); }
static inline void egpu_store_hint_32(u64 address, u32 value) {
  egpu_store_relaxed_32(address, value);
}
#define EGPU_GLOBAL
static inline void egpu_fence(void) { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
static inline void egpu_back_off(u32 attempt) {
  (void)attempt;
  sched_yield();
}
// The host has one shard.
static inline u32 egpu_own_shard(u32 shards) { return shards - 1; }
static inline u32 egpu_warp_slot(void) { return 0; }

#endif
