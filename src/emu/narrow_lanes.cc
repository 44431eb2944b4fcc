#include "emu/narrow_lanes.h"

#include "emu/arithmetic/half.h"
#include "emu/lanewise.h"

namespace egpu::emu {
namespace {

// From .f32, with all options; Op::extra is a NarrowMode.
template <class Result, unsigned kShift>
void run_narrow(Warp& warp, const Op& op, Mask lanes) {
  const LaneSource<float> a(warp, op.a);
  const NarrowMode mode = *static_cast<const NarrowMode*>(op.extra);
  store_lanes<Result>(warp, op.dst, lanes, [&](unsigned i) {
    return static_cast<Result>(narrow_to(mode, a(i)) << kShift);
  });
}

// From .f32 to the nearest, nothing else.
template <class Format>
void run_narrow_plainly(Warp& warp, const Op& op, Mask lanes) {
  alignas(64) std::uint16_t narrowed[kLanes];
  Format::template narrow<kLanes>(lanes_of<float>(warp, op.a), narrowed);
  store_lanes<std::uint16_t>(warp, op.dst, lanes, [&](unsigned i) { return narrowed[i]; });
}

}  // namespace

Op narrow_op(Builder& builder, NarrowMode mode) {
  const bool plain =
      mode.rounding == Rounding::kNearestEven && !mode.finite && !mode.relu && !mode.keeps_nan;
  const bool is_f16 = mode.format.fraction_bits == kFormatF16.fraction_bits;
  if (plain && mode.format.bits() == 16)
    return {.handler = is_f16 ? &run_narrow_plainly<F16> : &run_narrow_plainly<BF16>};
  return {.handler = &run_narrow<std::uint16_t, 0>, .extra = builder.keep(mode)};
}

Op narrow_to_tf32_op(Builder& builder, NarrowMode mode) {
  return {.handler = &run_narrow<std::uint32_t, 13>, .extra = builder.keep(mode)};
}

}  // namespace egpu::emu
