// Handlers of instructions whose result in each lane depends on the same lane of the sources alone.
//
// lanewise<R(A, B)>(f) is the handler that gives `dst` f(a, b) lane by lane. The lane types R, A, B
// have the width of their registers; bool stands for a predicate. Sources are, in order, Op::a, b,
// c and, as the fourth, the slot in Op::immediate. `f` has no state (a lambda without captures), is
// called for all lanes, and must be defined for whatever lies in the inactive ones.
//
// A handler reads a lane's sources before it writes that lane, and slots overlap wholly or not at
// all, so results go straight to the destination even where it is a source too. GCC turns these
// loops into vector instructions; emu/arithmetic_benchmark.cc watches over that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "emu/lanes.h"

// Before a loop whose turns do not depend on each other. clang, which builds for sanitizers alone,
// has no word for it that it may ignore.
#ifdef __clang__
#define EGPU_INDEPENDENT_TURNS
#else
#define EGPU_INDEPENDENT_TURNS _Pragma("GCC ivdep")
#endif

namespace egpu::emu {

// Values of 128-bit registers.
struct alignas(16) Wide {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Wide&) const = default;
};

// The lane that kElements values of T share: T itself, or unsigned bits.
template <class T, unsigned kElements>
using LaneOfElements = std::conditional_t<
    kElements == 1, T,
    std::conditional_t<sizeof(T) * kElements == 4, std::uint32_t, std::uint64_t>>;

// out[i] = the results of lane i, for the lanes in `lanes`.
template <class T, class Lane>
void blend_lanes(Mask lanes, const T* results, Lane* out) {
  if constexpr (std::is_same_v<T, Lane>) {
    EGPU_INDEPENDENT_TURNS
    for (unsigned i = 0; i < kLanes; ++i) out[i] = (lanes >> i & 1) != 0 ? results[i] : out[i];
  } else {
    Lane joined[kLanes];
    std::memcpy(joined, results, sizeof joined);
    blend_lanes(lanes, joined, out);
  }
}

// out[i] = f(i) for the lanes in `lanes` of a register with kElements values of T in each lane:
// element i belongs to lane i / kElements. f reads no element of `dst` but i.
template <class T, unsigned kElements = 1, class F>
void store_lanes(Warp& warp, Slot dst, Mask lanes, F&& f) {
  if (lanes == kAllLanes) {
    T* out = lanes_of<T>(warp, dst);
    EGPU_INDEPENDENT_TURNS
    for (unsigned i = 0; i < kLanes * kElements; ++i) out[i] = f(i);
    return;
  }
  alignas(64) T results[kLanes * kElements];
  for (unsigned i = 0; i < kLanes * kElements; ++i) results[i] = f(i);
  blend_lanes(lanes, results, lanes_of<LaneOfElements<T, kElements>>(warp, dst));
}

// Reads one source. A predicate's mask is loaded once, before the results are written.
template <class T>
class LaneSource {
 public:
  LaneSource(Warp& warp, Slot slot) : lanes_(lanes_of<T>(warp, slot)) {}
  T operator()(unsigned i) const { return lanes_[i]; }

 private:
  const T* lanes_;
};
template <>
class LaneSource<bool> {
 public:
  LaneSource(Warp& warp, Slot slot) : mask_(predicate_of(warp, slot)) {}
  bool operator()(unsigned i) const { return (mask_ >> i & 1) != 0; }

 private:
  Mask mask_;
};

inline Slot source_slot(const Op& op, std::size_t index) {
  const std::array<Slot, 4> slots = {op.a, op.b, op.c, static_cast<Slot>(op.immediate)};
  return slots[index];
}

template <class Signature, class F, unsigned kElements>
struct Lanewise;

template <class R, class... A, class F, unsigned kElements>
struct Lanewise<R(A...), F, kElements> {
  static void run(Warp& warp, const Op& op, Mask lanes) {
    run_with(warp, op, lanes, std::index_sequence_for<A...>());
  }

 private:
  template <std::size_t... kSources>
  static void run_with(Warp& warp, const Op& op, Mask lanes, std::index_sequence<kSources...>) {
    // A lambda's captures are members the compiler knows not to change, unlike a tuple's.
    [&](const LaneSource<A>... sources) {
      const auto result = [=](unsigned i) { return F{}(sources(i)...); };
      if constexpr (std::is_same_v<R, bool>)
        set_predicate(warp, op.dst, lanes, result);
      else
        store_lanes<R, kElements>(warp, op.dst, lanes, result);
    }(LaneSource<A>(warp, source_slot(op, kSources))...);
  }
};

template <class Signature, class F>
constexpr Handler lanewise(F) {
  return &Lanewise<Signature, F, 1>::run;
}

// The same for registers with two values in each lane (.f16x2, .u16x2, .f32x2).
template <class Signature, class F>
constexpr Handler lanewise_pairs(F) {
  return &Lanewise<Signature, F, 2>::run;
}

}  // namespace egpu::emu
