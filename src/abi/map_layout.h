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
// for each shard, array_bytes() apart. Sums, an ARRAY to which programs only add: kSumShards such
// arrays for each shard; an element is the sum of all. The warps of an SM spread over them: where
// many add to few elements, what takes time is additions that meet at one line of memory.
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

enum { kSumShards = 4 };

// What programs do with a map, as its functions are told: flags.
enum {
  kMayDelete = 1,
  kMayLoad = 2,  // plain loads of values, which an SM's cache may answer
};

// HASH, PERCPU_HASH, LRU_HASH: a header, then slots, of which at most half are in use, then the
// values: as many as there are slots, array_bytes() of them for each shard of a PERCPU_HASH
// (device/hash_map.c). They lie apart so that additions to values leave the slots, which every
// look-up reads, in the SMs' caches.
//
// Header: counts of elements (32 bits), of updates that found the map full and of operations that
// gave up (64 bits each), and the place where an LRU_HASH looks for elements to evict.
enum {
  kHashCountOffset = 0,
  kHashHandOffset = 4,
  kHashOverflowOffset = 8,
  kHashBusyOffset = 16,
  kHashHeaderBytes = 128,
};

// A slot: meta (64 bits; its two lowest say whether the slot holds an element, the upper half is a
// key of up to 4 bytes with zeros behind it), the reach and lock of its home, whether it was used
// lately (32 bits each), a longer key, and zeros up to a multiple of 8 bytes.
enum {
  kSlotShown = 2,  // in meta: holds an element
  kSlotStates = 3,
  kHashHomeOffset = 8,
  kHashUsedOffset = 12,
  kHashMetaKeyOffset = 4,       // of a key that lies in meta
  kHashLongKeyOffset = 16,      // of others
  kHashMetaKeyBytes = 4,        // at most
  kHashMaxReach = 1024,         // slots of a home, at most
  kHashReachMask = 0x7fffffff,  // the rest is the lock
};

EGPU_LAYOUT uint64_t whole_words(uint64_t bytes) { return (bytes + 7) / 8 * 8; }

EGPU_LAYOUT uint64_t hash_slots(uint64_t max_entries) { return 2 * max_entries; }

EGPU_LAYOUT uint64_t hash_key_offset(uint64_t key_size) {
  return key_size <= kHashMetaKeyBytes ? kHashMetaKeyOffset : kHashLongKeyOffset;
}

EGPU_LAYOUT uint64_t hash_slot_bytes(uint64_t key_size) {
  return kHashLongKeyOffset + (key_size <= kHashMetaKeyBytes ? 0 : whole_words(key_size));
}

// Where the values begin.
EGPU_LAYOUT uint64_t hash_table_bytes(uint64_t key_size, uint64_t max_entries) {
  return whole_lines(kHashHeaderBytes + hash_slots(max_entries) * hash_slot_bytes(key_size));
}

// The values of one shard.
EGPU_LAYOUT uint64_t hash_shard_bytes(uint64_t value_size, uint64_t max_entries) {
  return array_bytes(value_size, hash_slots(max_entries));
}

EGPU_LAYOUT uint64_t hash_bytes(uint64_t key_size, uint64_t value_size, uint64_t max_entries,
                                uint64_t shards) {
  return hash_table_bytes(key_size, max_entries) +
         hash_shard_bytes(value_size, max_entries) * shards;
}

// QUEUE, STACK: a header, then max_entries values in a ring (device/queue_map.c). Number n of those
// that were ever pushed lies in place n % max_entries; `first` to `end` - 1 are there.
enum {
  kQueueLockOffset = 0,   // 32 bits
  kQueueFirstOffset = 8,  // 64 bits, as the following
  kQueueEndOffset = 16,
  kQueueOverflowOffset = 24,  // pushes that found no room
  kQueueBusyOffset = 32,      // operations that gave up
  kQueueHeaderBytes = 128,
};

EGPU_LAYOUT uint64_t queue_bytes(uint64_t value_size, uint64_t max_entries) {
  return kQueueHeaderBytes + array_bytes(value_size, max_entries);
}

#ifdef __cplusplus
}  // namespace egpu::abi
#endif
#undef EGPU_LAYOUT
