// Barriers of blocks and clusters.
//
// Threads are counted one by one, so that lanes of a warp may arrive at different times and places.
// A barrier that expects a number of threads counts warps as a whole: lanes that exited, or never
// were, count as soon as all others of their warp have arrived.
#pragma once

#include "emu/warp.h"

namespace egpu::emu {

// `lanes` of the active group arrive at a barrier for `threads` of the block, 0: all. `holds`: of
// those the ones whose predicate holds, for bar.red. With `wait` they go on behind the Op once it
// is complete; Op::dst then gets what its immediate asks for (Reduction).
void arrive(Warp& warp, std::uint32_t barrier, std::uint32_t threads, Mask lanes, Mask holds,
            bool wait);

enum class Reduction : std::int64_t { kNone, kCount, kAll, kAny };

void arrive_at_cluster(Warp& warp, Mask lanes);
void wait_for_cluster(Warp& warp, Mask lanes);

// Lanes of the warp have exited: barriers may be complete without them.
void release_barriers(Warp& warp);

}  // namespace egpu::emu
