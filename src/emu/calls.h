// Calls of device functions and their returns.
#pragma once

#include "emu/warp.h"

namespace egpu::emu {

// A frame for `lanes` of the warp, whose `registers` it becomes.
Frame* make_frame(Warp& warp, const Code& code, Mask lanes, std::uint64_t local_offset);

// Op::extra: a CallSite.
void call(Warp& warp, const Op& op, Mask lanes);
void call_pointer(Warp& warp, const Op& op, Mask lanes);  // `a`: the pointer

// Local memory behind what the call has, at the same offset in all lanes: the most that a lane asks
// for, `a`, aligned to the immediate.
void allocate_local(Warp& warp, const Op& op, Mask lanes);

// Lanes end the innermost call. Not of the kernel itself.
void return_to_caller(Warp& warp, Mask lanes);

}  // namespace egpu::emu
