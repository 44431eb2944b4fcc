#include "emu/control.h"

#include <fmt/format.h>

#include <bit>

#include "emu/barriers.h"
#include "emu/calls.h"
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
  warp.block->live_threads -= static_cast<std::uint32_t>(std::popcount(lanes));
  release_waiting(warp);
  release_barriers(warp);
  if (warp.active == 0) run_next_group(warp);
}

void return_from(Warp& warp, const Op& op, Mask lanes) {
  if (warp.frame->caller == nullptr) return exit_thread(warp, op, lanes);
  return_to_caller(warp, lanes);
}

// Lanes that go elsewhere than the first one wait for their turn.
void branch_to_indexed(Warp& warp, const Op& op, Mask lanes) {
  const auto& distances = *static_cast<const std::vector<std::int64_t>*>(op.extra);
  const auto* const indexes = lanes_of<std::uint32_t>(warp, op.a);
  const Mask others = warp.active & ~lanes;
  if (others != 0) add_group(warp, warp.frame, warp.next, others);
  const Op* own = &op;
  Mask same = 0;
  for (Mask rest_of = lanes; rest_of != 0;) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest_of));
    if (indexes[lane] >= distances.size())
      return warp.fault(FaultKind::kIllegalInstruction, lane,
                        fmt::format("branch to target {} of {}", indexes[lane], distances.size()));
    const Op* const target = &op + distances[indexes[lane]];
    Mask there = 0;
    for_each_lane(rest_of, [&](unsigned other) {
      if (indexes[other] == indexes[lane]) there |= Mask{1} << other;
    });
    rest_of &= ~there;
    if (same == 0) {
      own = target;
      same = there;
    } else {
      add_group(warp, warp.frame, target, there);
    }
  }
  warp.active = same;
  jump(warp, op, own);
}

void trap(Warp& warp, const Op&, Mask lanes) {
  warp.fault(FaultKind::kTrap, static_cast<unsigned>(std::countr_zero(lanes)));
}

}  // namespace egpu::emu
