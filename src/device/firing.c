// Which threads a program fires in, where that is not each: one for a warp, for lanes that come
// together, or for a block, and those of blocks that are samples.

#include "access.h"
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

// Where the threads of a block meet (docs/adr/0008): a hash of the blocks that some threads have
// come from and others not yet. A cell is two words:
//   0: the tag of the block that has it, or 0; above, the passes: how many threads of other blocks
//      found it taken and went on to the next cell
//   8: how many threads of the block have come
// A cell is free where all of word 0 is 0. That of a block which is through keeps its passes until
// the blocks that passed it are through too: their later threads must go the same way, and so find
// the cell that their first thread took. Whoever comes last gives back what its whole block did.
enum {
  kCellBits = 15,  // 32768 cells: no GPU holds a quarter as many blocks
  kCells = 1 << kCellBits,
  kMostPassed = 64,
  kTagBits = 44,
};
static const u64 kTagMask = (1ULL << kTagBits) - 1;
static const u64 kPass = 1ULL << kTagBits;

static __attribute__((address_space(1))) u64 egpu_block_cells[2 * kCells];

static EGPU_INLINE u64 cell_at(u64 hash, u32 passed) {
  const u32 index = ((u32)(hash >> (64 - kCellBits)) + passed) % kCells;
  return (u64)&egpu_block_cells[2 * index];
}

static void pass_back(u64 hash, u32 passed, u64 threads) {
  for (u32 i = 0; i < passed; ++i) egpu_fetch_add_relaxed_64(cell_at(hash, i), -(threads * kPass));
}

struct meeting {
  u64 cell;      // 0: found none
  u32 passed;    // cells before it
  u32 is_first;  // nobody of the block came before
};

static EGPU_INLINE struct meeting come(u64 hash, u64 threads) {
  const u64 tag = (hash & kTagMask) | 1;
  struct meeting meeting = {0, 0, 0};
  for (; meeting.passed < kMostPassed; ++meeting.passed) {
    const u64 cell = cell_at(hash, meeting.passed);
    u64 word = 0;
    for (;;) {
      if ((word & kTagMask) == tag) {
        meeting.cell = cell;
        return meeting;
      }
      const u64 seen =
          egpu_compare_exchange_64(cell, word, word == 0 ? tag : word + threads * kPass);
      if (seen == word) break;
      word = seen;
    }
    if (word != 0) continue;
    meeting.cell = cell;
    meeting.is_first = 1;
    return meeting;
  }
  pass_back(hash, kMostPassed, threads);
  return meeting;
}

// Whether all threads of the block have come.
static EGPU_INLINE u32 is_last(u64 hash, const struct meeting* meeting, u32 threads) {
  const u32 all =
      __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z();
  if (egpu_fetch_add_32(meeting->cell + 8, threads) + threads != all) return 0;
  egpu_store_relaxed_32(meeting->cell + 8, 0);
  egpu_fence();
  egpu_fetch_add_relaxed_64(meeting->cell, -((hash & kTagMask) | 1));
  pass_back(hash, meeting->passed, all);
  return 1;
}

// Of the lanes in `mask`, which come together, one thread meets the others of its block: the first
// to come, or the last, gets 1. `place`: a number for each program, whose threads meet apart.
static EGPU_INLINE u32 meets(u32 mask, u32 place, u32 first) {
  if (!egpu_stands_for_group(mask)) return 0;
  const u32 threads = (u32)__builtin_popcount(mask);
  const u64 hash = egpu_mix(egpu_mix(egpu_read_grid_id() + ((u64)place << 48)) + block_number());
  const struct meeting meeting = come(hash, threads);
  if (meeting.cell == 0) return 0;
  const u32 last = is_last(hash, &meeting, threads);
  return first ? meeting.is_first : last;
}

EGPU_RUNTIME u32 egpu_is_first_of_block(u32 mask, u32 place) { return meets(mask, place, 1); }
EGPU_RUNTIME u32 egpu_is_last_of_block(u32 mask, u32 place) { return meets(mask, place, 0); }
