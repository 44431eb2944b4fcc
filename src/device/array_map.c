// Where an element of the two array types lies: its address in global memory. The code generator
// asks only for elements that exist, or discards the answer (codegen/lower_memory.cc).
//
// Strides come from the caller, which derives them from src/abi/probe_table.h; on the GPU they are
// constants after inlining.

#include "types.h"

EGPU_RUNTIME u64 egpu_array_element(u64 map, u32 index, u64 value_stride) {
  return map + index * value_stride;
}

// One shard for each SM, so that SMs do not compete for cache lines. %smid can exceed the number of
// SMs that the host counted (the PTX specification does not promise contiguous numbers): such SMs
// share the last shard, which costs time, never a count. A minimum and no branch: ptxas must see
// that the shard is the same for the whole SM to add up a warp's atomics.
EGPU_RUNTIME u64 egpu_percpu_array_element(u64 map, u32 shards, u32 index, u64 value_stride,
                                           u64 shard_stride) {
  u32 sm = __nvvm_read_ptx_sreg_smid();
  u32 last = shards - 1;
  u32 shard = sm < last ? sm : last;
  return map + shard * shard_stride + index * value_stride;
}
