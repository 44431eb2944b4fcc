#include "emu/control.h"

#include <bit>

#include "emu/groups.h"
#include "emu/lanes.h"

namespace egpu::emu {
namespace {

void jump(Warp& warp, const Op& op, const Op* target) {
  warp.next = target;
  if (target <= &op) {
    const std::int64_t cost = &op - target + 1;
    warp.credit -= cost;
    if (warp.credit < 0) warp.running = false;
    if (warp.group_count != 0) {
      warp.turn -= cost;
      if (warp.turn < 0) rest(warp);
    }
  }
  if (warp.group_count != 0) regroup(warp);
}

// `taken`, of `lanes`, jump; the others go on.
void choose(Warp& warp, const Op& op, Mask lanes, Mask taken) {
  const Op* const target = &op + op.immediate;
  if (taken == lanes) {
    jump(warp, op, target);
  } else if (taken != 0) {
    warp.active = lanes & ~taken;
    const Op* const next = warp.next;
    if (target > &op) {
      add_group(warp, warp.frame, target, taken);
      regroup(warp);
    } else {
      warp.active = taken;
      add_group(warp, warp.frame, next, lanes & ~taken);
      jump(warp, op, target);
    }
  } else if (warp.group_count != 0) {
    regroup(warp);
  }
}

}  // namespace

void reach_label(Warp& warp, const Op& op, Mask) {
  if (warp.group_count == 0) return;
  warp.next = &op;
  regroup(warp);
  if (warp.next == &op) ++warp.next;
}

void branch(Warp& warp, const Op& op, Mask) { jump(warp, op, &op + op.immediate); }

void branch_if(Warp& warp, const Op& op, Mask lanes) {
  choose(warp, op, lanes, predicate_of(warp, op.a) & lanes);
}

void branch_unless(Warp& warp, const Op& op, Mask lanes) {
  choose(warp, op, lanes, ~predicate_of(warp, op.a) & lanes);
}

void exit_thread(Warp& warp, const Op&, Mask lanes) {
  warp.exited |= lanes;
  warp.active &= ~lanes;
  for (Frame* frame = warp.frame; frame != nullptr;) {
    Frame* const caller = frame->caller;
    frame->lanes &= ~lanes;
    if (frame->lanes == 0) warp.block->frames->give_back(frame);
    frame = caller;
  }
  release_waiting(warp);
  if (warp.active == 0) run_next_group(warp);
}

void return_from(Warp& warp, const Op& op, Mask lanes) { exit_thread(warp, op, lanes); }

void trap(Warp& warp, const Op&, Mask lanes) {
  warp.fault(FaultKind::kTrap, static_cast<unsigned>(std::countr_zero(lanes)));
}

}  // namespace egpu::emu
