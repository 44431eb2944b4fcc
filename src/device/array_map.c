// The array types. Look-ups compute the address of an element alone: the code generator asks
// for elements that exist, or discards the answer (codegen/checked_platform.cc).

#include "map.h"

EGPU_RUNTIME u64 egpu_array_element(u64 map, u32 index, u64 value_stride) {
  return map + index * value_stride;
}

EGPU_RUNTIME u64 egpu_percpu_array_element(u64 map, u32 shards, u32 index, u64 value_stride,
                                           u64 shard_stride) {
  return map + egpu_own_shard(shards) * shard_stride + index * value_stride;
}

EGPU_RUNTIME u64 egpu_sums_element(u64 map, u32 shards, u32 index, u64 value_stride,
                                   u64 shard_stride) {
  u32 shard = egpu_own_shard(shards) * kSumShards + egpu_warp_slot() % kSumShards;
  return map + shard * shard_stride + index * value_stride;
}

// In the order of Linux: unknown flags, a key that is no index, an element that exists as all do, a
// lock that no value of ours has.
static inline int check_update(u64 map, u32 index, u64 flags, u32 max_entries) {
  if ((flags & ~(u64)kLock) > kExist || map == 0) return kBadArgument;
  if (index >= max_entries) return kTooBig;
  if (flags & kNoExist) return kExists;
  return flags & kLock ? kBadArgument : 0;
}

EGPU_RUNTIME u64 egpu_array_update(u64 map, u64 key, u64 value, u64 flags, EGPU_SHAPE) {
  u32 index = (u32)egpu_read_word(key, key_size);
  int error = check_update(map, index, flags, max_entries);
  if (error != 0) return egpu_error(error);
  egpu_store_value(egpu_array_element(map, index, value_stride(value_size)), value, value_size);
  return 0;
}

EGPU_RUNTIME u64 egpu_percpu_array_update(u64 map, u64 key, u64 value, u64 flags, EGPU_SHAPE) {
  u64 own = map + egpu_own_shard(shards) * array_bytes(value_size, max_entries);
  return egpu_array_update(map == 0 ? 0 : own, key, value, flags, key_size, value_size, max_entries,
                           shards, uses);
}
