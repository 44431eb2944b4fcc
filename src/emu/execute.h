// Runs warps.
#pragma once

#include "emu/warp.h"

namespace egpu::emu {

// Makes all threads of a block ready to start the kernel. Its launch, id, memory and frames are set.
void start_block(Block& block);

// Runs a warp until none of its lanes can go on, it has executed about `ops` Ops, or the launch
// ended. False: it can go no further by itself.
bool run_warp(Warp& warp, std::int64_t ops);

// A frame for `lanes` of the warp, whose `registers` it becomes.
Frame* make_frame(Warp& warp, const Code& code, Mask lanes, std::uint64_t local_offset);

}  // namespace egpu::emu
