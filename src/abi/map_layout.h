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

// HASH, PERCPU_HASH, LRU_HASH: a header, then slots, of which at most half are in use
// (device/hash_map.c). The values of a PERCPU_HASH lie behind the table, one array of as many
// values as there are slots for each shard.
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

// A slot: meta (64 bits; its two lowest say whether the slot holds an element), the reach and lock
// of its home, whether it was used lately (32 bits each), the key, zeros up to a multiple of 8
// bytes, and the value.
enum {
  kSlotShown = 2,  // in meta: holds an element
  kSlotStates = 3,
  kHashHomeOffset = 8,
  kHashUsedOffset = 12,
  kHashKeyOffset = 16,
  kHashMaxReach = 1024,  // slots of a home, at most
};

EGPU_LAYOUT uint64_t whole_words(uint64_t bytes) { return (bytes + 7) / 8 * 8; }

EGPU_LAYOUT uint64_t hash_slots(uint64_t max_entries) { return 2 * max_entries; }

EGPU_LAYOUT uint64_t hash_value_offset(uint64_t key_size) {
  return kHashKeyOffset + whole_words(key_size);
}

// `value_size`: 0 where the values lie elsewhere.
EGPU_LAYOUT uint64_t hash_slot_bytes(uint64_t key_size, uint64_t value_size) {
  return hash_value_offset(key_size) + whole_words(value_size);
}

EGPU_LAYOUT uint64_t hash_table_bytes(uint64_t key_size, uint64_t value_size,
                                      uint64_t max_entries) {
  return whole_lines(kHashHeaderBytes +
                     hash_slots(max_entries) * hash_slot_bytes(key_size, value_size));
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
