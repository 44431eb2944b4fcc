// Floating-point operations other than the four basic ones, as PTX defines them. T is float or
// double; 16-bit formats are widened first, which is exact for all of these.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "emu/arithmetic/float_bits.h"

namespace egpu::emu {

// Equal values: only for zeros do the signs differ, and +0 counts as greater than -0.
template <class T>
constexpr T lesser(T a, T b) {
  const T of_equal = std::bit_cast<T>(bits_of(a) | bits_of(b));
  return a < b ? a : b < a ? b : of_equal;
}
template <class T>
constexpr T greater(T a, T b) {
  const T of_equal = std::bit_cast<T>(bits_of(a) & bits_of(b));
  return a > b ? a : b > a ? b : of_equal;
}

struct ExtremeMode {
  bool greatest;  // max, else min
  bool nan;       // .NaN: a NaN source makes the result NaN; without it the other source wins
  bool xor_sign;  // .xorsign.abs: of the magnitudes, with the product of the signs
};

template <ExtremeMode kMode, class T>
constexpr T extreme(T a, T b) {
  const T x = kMode.xor_sign ? absolute(a) : a;
  const T y = kMode.xor_sign ? absolute(b) : b;
  const T between = kMode.greatest ? greater(x, y) : lesser(x, y);
  const T number = is_nan(a) ? y : is_nan(b) ? x : between;
  const BitsOf<T> sign =
      kMode.xor_sign ? (bits_of(a) ^ bits_of(b)) & FloatTraits<T>::kSign : BitsOf<T>{0};
  const bool none = kMode.nan ? is_nan(a) || is_nan(b) : is_nan(a) && is_nan(b);
  return none ? settle_nan(std::numeric_limits<T>::quiet_NaN(), a, b)
              : std::bit_cast<T>(bits_of(number) | sign);
}

template <class T>
constexpr T copy_sign(T sign, T magnitude) {
  return is_negative(sign) ? negated(absolute(magnitude)) : absolute(magnitude);
}

enum class FloatClass : std::uint8_t {
  kFinite,
  kInfinite,
  kNumber,
  kNotANumber,
  kNormal,  // zeros too
  kSubnormal,
};
template <FloatClass kClass, class T>
constexpr bool belongs_to(T value) {
  constexpr BitsOf<T> kInfinity = FloatTraits<T>::kExponent;
  const BitsOf<T> magnitude = bits_of(absolute(value));
  const bool subnormal = magnitude != 0 && (magnitude & kInfinity) == 0;
  switch (kClass) {
    case FloatClass::kFinite:
      return magnitude < kInfinity;
    case FloatClass::kInfinite:
      return magnitude == kInfinity;
    case FloatClass::kNumber:
      return magnitude <= kInfinity;
    case FloatClass::kNotANumber:
      return magnitude > kInfinity;
    case FloatClass::kNormal:
      return magnitude < kInfinity && !subnormal;
    case FloatClass::kSubnormal:
      return subnormal;
  }
}

// div.approx: for |b| over 2^126 the reciprocal vanishes.
constexpr float divide_approximately(float a, float b) {
  const float magnitude = absolute(b);
  const bool vanishes = magnitude > 0x1p126F && magnitude < std::numeric_limits<float>::infinity();
  return vanishes ? a * copy_sign(b, 0.0F) : a / b;
}

// rsqrt.approx, to the nearest but for the rarest cases.
inline float reciprocal_root(float a) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
}

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 look at the high half of the source alone and give
// the high half of a result whose low half is zero.
constexpr double high_half(double value) {
  return std::bit_cast<double>(bits_of(value) & 0xffff'ffff'0000'0000);
}

}  // namespace egpu::emu
