// Loops over the lanes of a warp.
#pragma once

#include <bit>
#include <cstring>

#include "emu/warp.h"

namespace egpu::emu {

// The 32 lanes of a register. T has the register's width.
template <class T>
T* lanes_of(Warp& warp, Slot slot) {
  return reinterpret_cast<T*>(warp.registers + slot);
}
inline Mask& predicate_of(Warp& warp, Slot slot) { return *lanes_of<Mask>(warp, slot); }

template <class F>
void for_each_lane(Mask lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

// dst[i] = f(i) for each lane of `lanes`; f has no side effects, is called for other lanes too and
// must be defined there.
template <class T, class F>
void set_lanes(Warp& warp, Slot dst, Mask lanes, F&& f) {
  T* out = lanes_of<T>(warp, dst);
  alignas(64) T results[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) results[i] = f(i);
  if (lanes == kAllLanes) {
    std::memcpy(out, results, sizeof results);
    return;
  }
  for (unsigned i = 0; i < kLanes; ++i) out[i] = (lanes >> i & 1) != 0 ? results[i] : out[i];
}

// The same for a predicate.
template <class F>
void set_predicate(Warp& warp, Slot dst, Mask lanes, F&& f) {
  Mask result = 0;
  for (unsigned i = 0; i < kLanes; ++i) result |= f(i) ? Mask{1} << i : 0;
  Mask& out = predicate_of(warp, dst);
  out = (out & ~lanes) | (result & lanes);
}

}  // namespace egpu::emu
