// Which threads a program fires in, where that is not each: one for a warp, for lanes that come
// together, or for a block, and those of blocks that are samples.

#include "access.h"
#include "meeting.h"
#include "portable.h"
#include "types.h"

u64 egpu_read_grid_id(void);

static EGPU_INLINE u64 block_number(void) {
  return __nvvm_read_ptx_sreg_ctaid_x() +
         (u64)__nvvm_read_ptx_sreg_nctaid_x() *
             (__nvvm_read_ptx_sreg_ctaid_y() +
              (u64)__nvvm_read_ptx_sreg_nctaid_y() * __nvvm_read_ptx_sreg_ctaid_z());
}

// Lane 0 is there in every warp.
EGPU_RUNTIME u32 egpu_stands_for_warp(void) { return __nvvm_read_ptx_sreg_laneid() == 0; }

// The first of the lanes in `mask`, which come together.
EGPU_RUNTIME u32 egpu_stands_for_group(u32 mask) {
  return (mask & __nvvm_read_ptx_sreg_lanemask_lt()) == 0;
}

EGPU_RUNTIME u32 egpu_is_in_sample(u32 one_of) {
  return egpu_is_sample(egpu_read_grid_id(), block_number(), one_of);
}

enum { kCells = 1 << 15 };  // no GPU holds a quarter as many blocks
static EGPU_GLOBAL u64 egpu_block_cells[kCells * kMeetingCellBytes / sizeof(u64)];

// Of the lanes in `mask`, which come together, one thread meets the others of its block: the first
// to come, or the last, gets 1. `number`: of the program; the threads of each meet apart.
static EGPU_INLINE u32 meets(u32 mask, u32 number, u32 first) {
  if (!egpu_stands_for_group(mask)) return 0;
  const u32 threads = (u32)__builtin_popcount(mask);
  const u32 all =
      __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z();
  const struct MeetingPlace place = {
      .table = (u64)&egpu_block_cells[0],
      .hash = egpu_mix(egpu_mix(egpu_read_grid_id() + ((u64)number << 48)) + block_number()),
      .cells = kCells,
  };
  const struct Arrival arrival = egpu_arrive(&place, threads);
  if (arrival.cell == 0) return 0;
  const u32 last = egpu_is_last(&place, &arrival, threads, all);
  return first ? arrival.is_first : last;
}

EGPU_RUNTIME u32 egpu_is_first_of_block(u32 mask, u32 number) { return meets(mask, number, 1); }
EGPU_RUNTIME u32 egpu_is_last_of_block(u32 mask, u32 number) { return meets(mask, number, 0); }
