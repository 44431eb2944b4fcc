// Operations that lanes of a warp carry out together: *.sync.
#pragma once

#include <bit>

#include "emu/lanes.h"
#include "emu/warp.h"

namespace egpu::emu {

// The lanes of `lanes` whose membermask, in `slot`, is that of the lowest of them.
inline Mask with_same_mask(Warp& warp, Slot slot, Mask lanes) {
  const auto* masks = lanes_of<Mask>(warp, slot);
  const Mask members = masks[std::countr_zero(lanes)];
  Mask same = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    same |= static_cast<Mask>(masks[i] == members ? 1 : 0) << i;
  }
  return same & lanes;
}

// Calls f(together) for the lanes that have come together, once for each membermask that is
// complete. A lane outside its own membermask, which PTX leaves undefined, counts as a member.
template <class F>
void for_members(Warp& warp, const Op& op, Mask lanes, Slot members, F&& f) {
  for (Mask rest = lanes; rest != 0;) {
    const Mask same = with_same_mask(warp, members, rest);
    rest &= ~same;
    const Mask named = lanes_of<Mask>(warp, members)[std::countr_zero(same)];
    if (const Mask together = warp.converge(op, same, named | same)) f(together);
  }
}

// The same for *.sync.aligned without a membermask: all lanes there are.
template <class F>
void for_whole_warp(Warp& warp, const Op& op, Mask lanes, F&& f) {
  if (const Mask together = warp.converge(op, lanes, kAllLanes)) f(together);
}

}  // namespace egpu::emu
