#include "emu/barriers.h"

#include <algorithm>
#include <bit>

#include "emu/groups.h"
#include "emu/lanes.h"

namespace egpu::emu {
namespace {

std::uint32_t count(Mask lanes) { return static_cast<std::uint32_t>(std::popcount(lanes)); }

bool is_complete(const Block& block, const Barrier& barrier) {
  if (barrier.expected == 0 && barrier.lanes < block.live_threads) return false;
  std::uint32_t threads = 0;
  for (std::size_t i = 0; i < block.warps.size(); ++i) {
    const Mask missing = block.warps[i].live() & ~barrier.arrived[i];
    if (barrier.expected == 0 && missing != 0) return false;
    if (barrier.arrived[i] != 0) threads += missing == 0 ? kLanes : count(barrier.arrived[i]);
  }
  return threads >= barrier.expected;
}

// What bar.red gives to the lanes of a group that waited.
void reduce(const Group& group, const Barrier& barrier) {
  const Op& op = *(group.next - 1);
  std::byte* const out = group.frame->registers + op.dst;
  const auto set_mask = [&](bool value) {
    Mask& mask = *reinterpret_cast<Mask*>(out);
    mask = value ? mask | group.lanes : mask & ~group.lanes;
  };
  switch (static_cast<Reduction>(op.immediate)) {
    case Reduction::kNone:
      break;
    case Reduction::kCount:
      for_each_lane(group.lanes, [&](unsigned lane) {
        reinterpret_cast<std::uint32_t*>(out)[lane] = barrier.holds;
      });
      break;
    case Reduction::kAll:
      set_mask(barrier.holds == barrier.lanes);
      break;
    case Reduction::kAny:
      set_mask(barrier.holds != 0);
      break;
  }
}

void complete(Block& block, std::uint8_t index) {
  Barrier& barrier = block.barriers[index];
  for (Warp& warp : block.warps)
    for (unsigned i = 0; i < warp.group_count; ++i) {
      Group& group = warp.groups[i];
      if (group.wait != Group::Wait::kForBarrier || group.barrier != index) continue;
      reduce(group, barrier);
      group.wait = Group::Wait::kNothing;
    }
  std::ranges::fill(barrier.arrived, 0);
  barrier.lanes = 0;
  barrier.expected = 0;
  barrier.holds = 0;
}

bool cluster_is_complete(const Block& block) {
  for (const Block* member : block.cluster)
    for (const Warp& warp : member->warps)
      if ((warp.live() & ~warp.at_cluster_barrier) != 0) return false;
  return true;
}

void complete_cluster(const Block& block) {
  for (Block* member : block.cluster)
    for (Warp& warp : member->warps) {
      warp.at_cluster_barrier = 0;
      for (unsigned i = 0; i < warp.group_count; ++i)
        if (warp.groups[i].wait == Group::Wait::kForCluster)
          warp.groups[i].wait = Group::Wait::kNothing;
    }
}

}  // namespace

void arrive(Warp& warp, std::uint32_t barrier_index, std::uint32_t threads, Mask lanes, Mask holds,
            bool wait) {
  Block& block = *warp.block;
  const auto index = static_cast<std::uint8_t>(barrier_index);
  Barrier& barrier = block.barriers[index];
  barrier.arrived.resize(block.warps.size());
  barrier.lanes += count(lanes & ~barrier.arrived[warp.index]);
  barrier.arrived[warp.index] |= lanes;
  barrier.holds += count(holds);
  barrier.expected = threads;
  if (wait)
    park(warp, {.frame = warp.frame,
                .next = warp.next,
                .lanes = lanes,
                .wait = Group::Wait::kForBarrier,
                .barrier = index});
  if (is_complete(block, barrier)) complete(block, index);
  if (warp.active == 0) run_next_group(warp);
}

void arrive_at_cluster(Warp& warp, Mask lanes) {
  warp.at_cluster_barrier |= lanes;
  if (cluster_is_complete(*warp.block)) complete_cluster(*warp.block);
}

void wait_for_cluster(Warp& warp, Mask lanes) {
  const Mask early = lanes & warp.at_cluster_barrier;
  if (early == 0) return;
  park(warp,
       {.frame = warp.frame, .next = warp.next, .lanes = early, .wait = Group::Wait::kForCluster});
  if (warp.active == 0) run_next_group(warp);
}

void release_barriers(Warp& warp) {
  Block& block = *warp.block;
  for (std::uint8_t i = 0; i < kBarriers; ++i)
    if (block.barriers[i].lanes != 0 && is_complete(block, block.barriers[i])) complete(block, i);
  const bool somebody_waits = std::ranges::any_of(block.cluster, [](const Block* member) {
    return std::ranges::any_of(member->warps,
                               [](const Warp& other) { return other.at_cluster_barrier != 0; });
  });
  if (somebody_waits && cluster_is_complete(block)) complete_cluster(block);
}

}  // namespace egpu::emu
