#include "emu/execute.h"

#include "emu/groups.h"
#include "emu/kernel.h"
#include "emu/lanes.h"

namespace egpu::emu {

Frame* make_frame(Warp& warp, const Code& code, Mask lanes, std::uint64_t local_offset) {
  Frame* const frame = warp.block->frames->take(code);
  frame->caller = nullptr;
  frame->call = nullptr;
  frame->lanes = lanes;
  frame->depth = 0;
  frame->local_offset = local_offset;
  warp.registers = frame->registers;
  for (const SpecialSlot& slot : code.specials)
    read_special_register(*slot.special, warp, slot.slot, slot.bits);
  for (const LocalSlot& slot : code.locals) {
    const std::uint64_t address = local_offset + slot.offset;
    set_lanes<std::uint64_t>(warp, slot.slot, kAllLanes, [address](unsigned) { return address; });
  }
  return frame;
}

void start_block(Block& block) {
  const Dim3& extent = block.launch->config.block;
  const std::uint64_t threads = std::uint64_t{extent[0]} * extent[1] * extent[2];
  const Code& code = block.launch->kernel.code();
  block.warps.resize((threads + kLanes - 1) / kLanes);
  for (std::size_t i = 0; i < block.warps.size(); ++i) {
    Warp& warp = block.warps[i];
    warp = Warp{};
    warp.block = &block;
    warp.index = static_cast<std::uint32_t>(i);
    const std::uint64_t lanes = std::min<std::uint64_t>(kLanes, threads - i * kLanes);
    warp.present = lanes == kLanes ? kAllLanes : (Mask{1} << lanes) - 1;
    warp.frame = make_frame(warp, code, warp.present, 0);
    warp.active = warp.present;
    warp.next = code.ops.data();
  }
}

bool run_warp(Warp& warp, std::int64_t ops) {
  warp.credit = ops;
  warp.running = true;
  if (warp.active == 0) run_next_group(warp);
  while (warp.running) {
    const Op& op = *warp.next++;
    Mask lanes = warp.active;
    if (op.guard != kNoSlot) {
      const Mask guard = predicate_of(warp, op.guard);
      lanes &= op.guard_negated ? ~guard : guard;
      if (lanes == 0) continue;
    }
    op.handler(warp, op, lanes);
  }
  return warp.active != 0;
}

}  // namespace egpu::emu
