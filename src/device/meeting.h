// Where the threads of a block meet, so that one can tell that it is the first or the last to come
// (docs/adr/0008). Threads have no memory in common but the device's: a table of cells, a hash of
// the blocks that some threads have come from and others not yet. A cell is two words:
//   0: the tag of the block that has it, or 0; above, the passes: how many threads of other blocks
//      found it taken and went on to the next cell
//   8: how many threads of the block have come
// A cell is free where all of word 0 is 0. That of a block which is through keeps its passes until
// the blocks that passed it are through too: their later threads must go the same way, and so find
// the cell that their first thread took. Who comes last gives back what the whole block passed.
// Nobody waits for anybody: an attempt fails only where another one succeeds.
#pragma once

#include "access.h"
#include "types.h"

enum {
  kMeetingCellBytes = 16,
  kMostCellsPassed = 64,
  kMeetingTagBits = 44,  // passes have 20: those of 1024 blocks of any size
};
#define EGPU_MEETING_PASS (1ULL << kMeetingTagBits)
#define EGPU_MEETING_TAG(word) ((word) & (EGPU_MEETING_PASS - 1))

// `table`: the address of `cells` cells, a power of two, at first all 0. `hash`: of the block, 64
// bits, of which the upper ones choose the cell and the lower ones are the tag: another for each
// block that is here at the time.
struct MeetingPlace {
  u64 table;
  u64 hash;
  u32 cells;
};

struct Arrival {
  u64 cell;    // 0: none was found; all cells around are taken
  u32 passed;  // cells before it
  u32 is_first;
};

static inline u64 egpu_meeting_tag(const struct MeetingPlace* place) {
  return EGPU_MEETING_TAG(place->hash) | 1;
}

static inline u64 egpu_meeting_cell(const struct MeetingPlace* place, u32 passed) {
  const u32 index = ((u32)(place->hash >> 48) + passed) & (place->cells - 1);
  return place->table + (u64)index * kMeetingCellBytes;
}

static inline void egpu_pass_back(const struct MeetingPlace* place, u32 passed, u64 threads) {
  EGPU_ROLLED
  for (u32 i = 0; i < passed; ++i)
    egpu_fetch_add_relaxed_64(egpu_meeting_cell(place, i), 0 - threads * EGPU_MEETING_PASS);
}

// Finds the block's cell for so many of its threads, or takes one.
static EGPU_INLINE struct Arrival egpu_arrive(const struct MeetingPlace* place, u64 threads) {
  const u64 tag = egpu_meeting_tag(place);
  struct Arrival arrival = {0, 0, 0};
  EGPU_ROLLED
  for (; arrival.passed < kMostCellsPassed; ++arrival.passed) {
    const u64 cell = egpu_meeting_cell(place, arrival.passed);
    u64 word = 0;
    while (EGPU_MEETING_TAG(word) != tag) {
      const u64 wanted = word == 0 ? tag : word + threads * EGPU_MEETING_PASS;
      const u64 seen = egpu_compare_exchange_64(cell, word, wanted);
      if (seen == word) break;
      word = seen;
    }
    arrival.is_first = word == 0;
    if (word != 0 && EGPU_MEETING_TAG(word) != tag) continue;
    arrival.cell = cell;
    return arrival;
  }
  egpu_pass_back(place, kMostCellsPassed, threads);
  return arrival;
}

// Counts them. Whether now all threads of the block, `all`, have come: then the cell is free.
static EGPU_INLINE u32 egpu_is_last(const struct MeetingPlace* place, const struct Arrival* arrival,
                                    u32 threads, u32 all) {
  if (egpu_fetch_add_32(arrival->cell + 8, threads) + threads != all) return 0;
  egpu_store_relaxed_32(arrival->cell + 8, 0);
  egpu_fence();
  egpu_fetch_add_relaxed_64(arrival->cell, 0 - egpu_meeting_tag(place));
  egpu_pass_back(place, arrival->passed, all);
  return 1;
}
