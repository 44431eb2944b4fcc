// Ops that move lanes: branches, calls and their returns, exits.
#pragma once

#include "emu/warp.h"

namespace egpu::emu {

// Where lanes of several groups may meet.
void reach_label(Warp& warp, const Op& op, Mask lanes);

// Targets: Op::immediate Ops further on.
void branch(Warp& warp, const Op& op, Mask lanes);
// The predicate is `a`; the guard of the instruction, for the op itself has none.
void branch_if(Warp& warp, const Op& op, Mask lanes);
void branch_unless(Warp& warp, const Op& op, Mask lanes);

// `a`: the index of one of the distances in `extra`, a std::vector<std::int64_t>.
void branch_to_indexed(Warp& warp, const Op& op, Mask lanes);

void return_from(Warp& warp, const Op& op, Mask lanes);  // of a kernel: exit
void exit_thread(Warp& warp, const Op& op, Mask lanes);
void trap(Warp& warp, const Op& op, Mask lanes);

}  // namespace egpu::emu
