// Operations that lanes of a warp carry out together: *.sync.
#pragma once

#include <bit>

#include "emu/lanes.h"
#include "emu/warp.h"

namespace egpu::emu {

namespace membership_detail {

// The lanes whose membermask, of `masks`, is `members`.
inline Mask lanes_with(const Mask* masks, Mask members) {
  Mask same = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    same |= static_cast<Mask>(masks[i] == members ? 1 : 0) << i;
  }
  return same;
}

template <class F>
[[gnu::noinline]] void for_several(Warp& warp, const Op& op, Mask lanes, const Mask* masks, F& f) {
  while (lanes != 0) {
    const Mask members = masks[std::countr_zero(lanes)];
    const Mask same = lanes & lanes_with(masks, members);
    lanes &= ~same;
    if (const Mask together = warp.converge(op, same, members | same)) f(together);
  }
}

}  // namespace membership_detail

// Calls f(together) for the lanes that have come together, once for each membermask, in slot
// `members`, that is complete. A lane outside its own membermask, which PTX leaves undefined,
// counts as a member.
template <class F>
void for_members(Warp& warp, const Op& op, Mask lanes, Slot members, F&& f) {
  const Mask* masks = lanes_of<Mask>(warp, members);
  if (lanes == kAllLanes) {
    Mask differ = 0;
    for (unsigned i = 0; i < kLanes; ++i) differ |= masks[i] ^ kAllLanes;
    if (differ == 0) return f(lanes);  // nobody else could come
  }
  membership_detail::for_several(warp, op, lanes, masks, f);
}

// The same for *.sync.aligned without a membermask: all lanes there are.
template <class F>
void for_whole_warp(Warp& warp, const Op& op, Mask lanes, F&& f) {
  if (lanes == kAllLanes) return f(lanes);
  if (const Mask together = warp.converge(op, lanes, kAllLanes)) f(together);
}

}  // namespace egpu::emu
