#include "emu/execute.h"

#include <algorithm>

#include "emu/calls.h"
#include "emu/groups.h"
#include "emu/kernel.h"
#include "emu/lanes.h"

namespace egpu::emu {

void start_block(Block& block) {
  const Dim3& extent = block.launch->config.block;
  const std::uint32_t threads = extent[0] * extent[1] * extent[2];
  const Code& code = block.launch->kernel.code();
  block.live_threads = threads;
  block.spent = 0;
  block.barriers = {};
  block.warps.resize((threads + kLanes - 1) / kLanes);
  for (std::uint32_t i = 0; i < block.warps.size(); ++i) {
    Warp& warp = block.warps[i];
    warp = Warp{};
    warp.block = &block;
    warp.index = i;
    warp.turn = kGroupTurn;
    const std::uint32_t lanes = std::min(kLanes, threads - i * kLanes);
    warp.present = lanes == kLanes ? kAllLanes : (Mask{1} << lanes) - 1;
    warp.frame = make_frame(warp, code, warp.present, 0);
    warp.active = warp.present;
    warp.next = code.ops.data();
  }
}

namespace {

void execute_next(Warp& warp) {
  const Op& op = *warp.next++;
  Mask lanes = warp.active;
  if (op.guard != kNoSlot) {
    const Mask guard = predicate_of(warp, op.guard);
    lanes &= op.guard_negated ? ~guard : guard;
    if (lanes == 0) return;
  }
  op.handler(warp, op, lanes);
}

}  // namespace

bool run_warp(Warp& warp, std::int64_t ops) {
  warp.credit = ops;
  warp.running = true;
  if (warp.active == 0) run_next_group(warp);
  if (!warp.running) return false;
  do execute_next(warp);
  while (warp.running);
  warp.block->spent += static_cast<std::uint64_t>(ops - warp.credit);
  return true;
}

bool step_warp(Warp& warp, std::int64_t ops, std::uint64_t random) {
  warp.credit = 0;
  warp.running = true;
  choose_group(warp, random);
  if (!warp.running) return false;
  std::int64_t left = ops;
  do execute_next(warp);
  while (--left > 0 && warp.running);
  warp.block->spent += static_cast<std::uint64_t>(ops - left);
  return true;
}

}  // namespace egpu::emu
