// What GPU floating point does to values around each operation: NaN results, subnormal numbers
// (.ftz), saturation (.sat). All NaN rules are in this file.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace egpu::emu {

template <class T>
struct FloatTraits;
template <>
struct FloatTraits<float> {
  using Bits = std::uint32_t;
  static constexpr Bits kSign = 0x8000'0000;
  static constexpr Bits kExponent = 0x7f80'0000;  // all ones: infinity, or NaN with a fraction
  static constexpr Bits kQuiet = 0x0040'0000;
  static constexpr Bits kCanonicalNan = 0x7fff'ffff;
};
template <>
struct FloatTraits<double> {
  using Bits = std::uint64_t;
  static constexpr Bits kSign = 0x8000'0000'0000'0000;
  static constexpr Bits kExponent = 0x7ff0'0000'0000'0000;
  static constexpr Bits kQuiet = 0x0008'0000'0000'0000;
  static constexpr Bits kCanonicalNan = 0xfff8'0000'0000'0000;
};

// Of .f16 and .bf16 both.
inline constexpr std::uint16_t kCanonicalNan16 = 0x7fff;

template <class T>
using BitsOf = FloatTraits<T>::Bits;

template <class T>
constexpr BitsOf<T> bits_of(T value) {
  return std::bit_cast<BitsOf<T>>(value);
}
template <class T>
constexpr T canonical_nan() {
  return std::bit_cast<T>(FloatTraits<T>::kCanonicalNan);
}
template <class T>
constexpr bool is_nan(T value) {
  return value != value;  // NOLINT(misc-redundant-expression): true of NaNs
}
// Whether any of the NaN's bits is lost by quieting it.
template <class T>
constexpr T quiet(T nan) {
  return std::bit_cast<T>(bits_of(nan) | FloatTraits<T>::kQuiet);
}

// The result of an operation on `sources`, once NaNs are those of a GPU. Single precision has one
// NaN alone, 0x7fffffff. Double precision keeps the first NaN source, made quiet, and gives
// 0xfff8000000000000 where none is NaN.
template <class T, class... Sources>
constexpr T settle_nan(T result, Sources... sources) {
  if constexpr (std::is_same_v<T, double>) {
    double nan = canonical_nan<double>();
    const double all[] = {sources...};
    for (unsigned i = sizeof...(sources); i-- > 0;) nan = is_nan(all[i]) ? quiet(all[i]) : nan;
    return is_nan(result) ? nan : result;
  } else {
    return is_nan(result) ? canonical_nan<T>() : result;
  }
}

template <class T>
constexpr T absolute(T value) {
  return std::bit_cast<T>(bits_of(value) & ~FloatTraits<T>::kSign);
}
template <class T>
constexpr T negated(T value) {
  return std::bit_cast<T>(bits_of(value) ^ FloatTraits<T>::kSign);
}
template <class T>
constexpr bool is_negative(T value) {
  return (bits_of(value) & FloatTraits<T>::kSign) != 0;
}

// .ftz: subnormal numbers become zero of the same sign, as sources and as results.
template <class T>
constexpr T flush(T value) {
  const BitsOf<T> bits = bits_of(value);
  const BitsOf<T> kept =
      (bits & FloatTraits<T>::kExponent) == 0 ? bits & FloatTraits<T>::kSign : bits;
  return std::bit_cast<T>(kept);
}

// .sat: to [+0, 1]; NaN gives +0.
template <class T>
constexpr T saturate(T value) {
  const T low = value > T{0} ? value : T{0};
  return low < T{1} ? low : T{1};
}

}  // namespace egpu::emu
