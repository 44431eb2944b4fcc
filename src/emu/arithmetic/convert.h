// Conversions between integers and floats (cvt).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "emu/arithmetic/float_bits.h"
#include "emu/arithmetic/float_format.h"

namespace egpu::emu {

// cvt.rni, .rzi, .rmi, .rpi.
template <Rounding kRounding, class T>
T round_to_integral(T value) {
  if (kRounding == Rounding::kNearestEven) return std::nearbyint(value);
  if (kRounding == Rounding::kZero) return std::trunc(value);
  if (kRounding == Rounding::kDown) return std::floor(value);
  return std::ceil(value);
}

// The number without its fraction, clamped to what the integer holds. NaN gives 0, or, where source
// or result has 64 bits, the integer whose highest bit alone is set. `Source`: the type the number
// was of before it was widened.
template <class Integer, class Source>
constexpr Integer to_integer(double value) {
  using Limits = std::numeric_limits<Integer>;
  constexpr bool kHighBitForNan = std::is_same_v<Source, double> || sizeof(Integer) == 8;
  constexpr auto kNan = static_cast<Integer>(
      kHighBitForNan ? std::make_unsigned_t<Integer>{1} << (sizeof(Integer) * 8 - 1) : 0);
  // A power of two is a double, unlike the largest integer.
  constexpr Integer kHalf = Limits::max() / 2 + 1;
  constexpr double kEnd = 2.0 * static_cast<double>(kHalf);
  constexpr double kLeast = static_cast<double>(Limits::min());
  if (is_nan(value)) return kNan;
  if (value >= kEnd) return Limits::max();
  if (value <= kLeast) return Limits::min();
  return static_cast<Integer>(value);
}

// cvt.sat between integers.
template <class To, class From>
constexpr To saturate_integer(From value) {
  using Limits = std::numeric_limits<To>;
  if (std::cmp_less(value, Limits::min())) return Limits::min();
  if (std::cmp_greater(value, Limits::max())) return Limits::max();
  return static_cast<To>(value);
}

struct NarrowMode {
  FloatFormat format;
  Rounding rounding = Rounding::kNearestEven;
  bool finite = false;  // .satfinite: the largest number instead of infinities
  bool relu = false;
  bool keeps_nan = false;  // its sign and the leading bits of its fraction
};

constexpr std::uint32_t narrow_nan(NarrowMode mode, float nan) {
  const FloatFormat format = mode.format;
  if (!mode.keeps_nan) return (std::uint32_t{1} << (format.bits() - 1)) - 1;
  const std::uint64_t fraction = (bits_of(nan) & 0x7f'ffff) >> (23 - format.fraction_bits);
  const std::uint64_t sign = std::uint64_t{is_negative(nan)} << (format.bits() - 1);
  return static_cast<std::uint32_t>(sign | format.infinity() | fraction);
}
// The value in a format of 19 bits or fewer. The canonical NaN is all ones but for the sign.
constexpr std::uint32_t narrow_to(NarrowMode mode, float value) {
  const FloatFormat format = mode.format;
  if (is_nan(value)) return narrow_nan(mode, value);
  if (mode.relu && is_negative(value)) return 0;
  const std::uint64_t sign = std::uint64_t{is_negative(value)} << (format.bits() - 1);
  std::uint64_t magnitude = format.finite_only ? format.largest() : format.infinity();
  if (absolute(value) != std::numeric_limits<float>::infinity())
    magnitude = round_to(format, exact(double{value}), mode.rounding) & ~sign;
  const bool clamps = mode.finite || format.finite_only;
  if (clamps && magnitude > format.largest()) magnitude = format.largest();
  return static_cast<std::uint32_t>(sign | magnitude);
}

}  // namespace egpu::emu
