// bpf_map_lookup_elem() for the two array types. The result is the value's address in global
// memory, or 0 where there is no such element or the map was never given memory (address 0 in the
// probe table): a program then takes the path of its own null check.
//
// Sizes and strides come from the caller, which derives them from src/abi/probe_table.h; on the GPU
// they are constants after inlining.

#include "types.h"

// Pointer arithmetic, unlike that of numbers, never wraps around to null: the compiler then sees that
// the program's null check needs no second comparison.
static inline u64 element(u64 map, u64 offset) { return (u64)((char*)map + offset); }

EGPU_RUNTIME u64 egpu_array_lookup(u64 map, const u32* key, u32 max_entries, u64 value_stride) {
  u32 index = *key;
  if (map == 0 || index >= max_entries) return 0;
  return element(map, index * value_stride);
}

// One shard for each SM, so that SMs do not compete for cache lines. %smid can exceed the number of
// SMs that the host counted (the PTX specification does not promise contiguous numbers): such SMs
// share the last shard, which costs time, never a count. No branch and no select on the way to the
// address: ptxas must see that it is the same for the whole SM to add up a warp's atomics.
EGPU_RUNTIME u64 egpu_percpu_array_lookup(u64 map, u32 shards, const u32* key, u32 max_entries,
                                          u64 value_stride, u64 shard_stride) {
  u32 index = *key;
  u32 sm = __nvvm_read_ptx_sreg_smid();
  u32 last = shards - 1;  // the host fills shards and map together: with a map there is a shard
  u32 shard = sm < last ? sm : last;
  u64 value = element(element(map, shard * shard_stride), index * value_stride);
  return map == 0 || index >= max_entries ? 0 : value;
}
