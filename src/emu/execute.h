// Runs warps.
#pragma once

#include "emu/warp.h"

namespace egpu::emu {

// Makes all threads of a block ready to start. Its launch, id, memory and frames are set.
void start_block(Block& block);

// Runs a warp until none of its lanes can go on, about `ops` Ops are executed, or the launch ended.
// False: it could not run at all.
bool run_warp(Warp& warp, std::int64_t ops);

// Runs a group of the warp's lanes that can go on, which one `random` says, for `ops` Ops at most,
// wherever that ends, or until it waits or jumps back. False: no lane could run.
bool step_warp(Warp& warp, std::int64_t ops, std::uint64_t random);

}  // namespace egpu::emu
