// What the functions of all map types share. They are called egpu_TYPE_OPERATION, take the address
// of the map's memory (0: the map was never given any), the helper's arguments and EGPU_SHAPE, and
// give what the helper gives. The code generator passes the shape as constants: what it decides is
// decided when code is made.
#pragma once

#include "abi/map_layout.h"
#include "access.h"
#include "types.h"

#define EGPU_SHAPE u32 key_size, u32 value_size, u32 max_entries, u32 shards, u32 uses

// Flags of bpf_map_update_elem (include/uapi/linux/bpf.h).
enum { kAny = 0, kNoExist = 1, kExist = 2, kLock = 4 };

// Errors have the numbers of Linux, negated.
enum {
  kNoEntry = -2,        // ENOENT
  kTooBig = -7,         // E2BIG
  kTryAgain = -11,      // EAGAIN
  kNoSpace = -28,       // ENOSPC
  kNotSupported = -95,  // EOPNOTSUPP
  kBusy = -16,          // EBUSY
  kExists = -17,        // EEXIST
  kBadArgument = -22,   // EINVAL
};
static inline u64 egpu_error(int error) { return (u64)(long long)error; }

// Program memory (generic address) of any alignment.
static inline u64 egpu_read_word(u64 address, u32 bytes) {
  u64 word = 0;
  if (bytes >= 8) {
    __builtin_memcpy(&word, (const void*)address, 8);
    return word;
  }
  u32 at = 0;
  if (bytes & 4) {
    u32 part;
    __builtin_memcpy(&part, (const void*)address, 4);
    word = part;
    at = 4;
  }
  if (bytes & 2) {
    u16 part;
    __builtin_memcpy(&part, (const void*)(address + at), 2);
    word |= (u64)part << (8 * at);
    at += 2;
  }
  if (bytes & 1) word |= (u64) * (const u8*)(address + at) << (8 * at);
  return word;
}

// From program memory to a value. Every aligned field of 1, 2, 4 or 8 bytes is stored at once: a
// reader sees the old one or the new one. Values start at multiples of 8 bytes, or have 4 at most.
static inline void egpu_store_value(u64 value, u64 source, u32 size) {
  u32 at = 0;
  for (; at + 8 <= size; at += 8) egpu_store_relaxed_64(value + at, egpu_read_word(source + at, 8));
  if (size & 4) {
    egpu_store_relaxed_32(value + at, (u32)egpu_read_word(source + at, 4));
    at += 4;
  }
  if (size & 2) {
    egpu_store_relaxed_16(value + at, (u16)egpu_read_word(source + at, 2));
    at += 2;
  }
  if (size & 1) egpu_store_relaxed_8(value + at, (u8)egpu_read_word(source + at, 1));
}

// A whole value_stride() of a value.
static inline void egpu_store_zeros(u64 value, u64 stride) {
  if (stride == 4) egpu_store_relaxed_32(value, 0);
  for (u64 at = 0; at + 8 <= stride; at += 8) egpu_store_relaxed_64(value + at, 0);
}

// The other way round, field by field.
static inline void egpu_read_value(u64 destination, u64 value, u32 size) {
  u32 at = 0;
  for (; at + 4 <= size; at += 4) {
    u32 word = egpu_load_relaxed_32(value + at);
    __builtin_memcpy((void*)(destination + at), &word, 4);
  }
  if (at == size) return;
  // Values end with whole words.
  u32 word = egpu_load_relaxed_32(value + at);
  for (; at < size; ++at, word >>= 8) *(u8*)(destination + at) = (u8)word;
}

static inline void egpu_clear_program_memory(u64 destination, u32 size) {
  for (u32 at = 0; at < size; ++at) *(u8*)(destination + at) = 0;
}

// Rounds of a loop that tries to get a lock: some milliseconds.
enum { kAttempts = 256 };

// What such a loop ends by. Unknown to the compiler, so that all that happens in a round stays in
// it: a lane that left the loop with the lock would wait for those that stay for the lock. Nor is a
// loop unrolled that counts with it.
static inline u32 egpu_end_of_round(u32 done) {
  __asm__ volatile("" : "+r"(done));
  return done;
}
