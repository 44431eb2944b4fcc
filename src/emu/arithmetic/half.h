// 16-bit floats: .f16 and .bf16.
//
// Values are widened to single precision, which holds them all, worked on there, and narrowed. To
// be exact that takes care: a result is first rounded to single precision, then to 16 bits. Two
// roundings equal one wherever the first has at least 2p + 2 bits (sum, difference and product of
// f16), and wherever the first rounds to odd: its last bit then tells that something lies below,
// however little.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>

#include "emu/arithmetic/float_bits.h"

namespace egpu::emu {

// `rounded` is the T nearest to some exact value, `rest` what is missing from it (its sign counts),
// or NaN where there is no such thing. The exact value rounded to odd: itself, or its neighbour
// whose last bit is set.
template <class T, class Rest>
constexpr T round_to_odd(T rounded, Rest rest) {
  const BitsOf<T> bits = bits_of(rounded);
  const bool inexact = rest > 0 || rest < 0;
  const bool larger = (rest < 0) == is_negative(rounded);  // in magnitude
  const BitsOf<T> neighbour = larger ? bits + 1 : bits - 1;
  return std::bit_cast<T>(inexact && (bits & 1) == 0 ? neighbour : bits);
}
// a + b, rounded to odd.
template <class T>
constexpr T add_to_odd(T a, T b) {
  const T sum = a + b;
  const T of_b = sum - a;
  return round_to_odd(sum, (a - (sum - of_b)) + (b - of_b));
}
// The value as a float, rounded to odd.
constexpr float narrow_to_odd(double value) {
  const auto rounded = static_cast<float>(value);
  return round_to_odd(rounded, value - double{rounded});
}

struct F16 {
  static constexpr float kLeastNormal = 0x1p-14F;

  static float widen(std::uint16_t bits) { return _cvtsh_ss(bits); }
  static std::uint16_t narrow(float value) {
    return is_nan(value) ? kCanonicalNan16
                         : static_cast<std::uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT));
  }
  // Floats that narrow() rounds to the exact result, for sources that were widened.
  static constexpr float add(float a, float b) { return a + b; }
  static constexpr float multiply(float a, float b) { return a * b; }
  static constexpr float multiply_add(float a, float b, float c) {
    return add_to_odd(a * b, c);  // the product of two 11-bit significands is exact
  }

  // kCount values, a multiple of eight.
  template <unsigned kCount>
  static void widen(const std::uint16_t* in, float* out) {
    for (unsigned i = 0; i < kCount; i += 8)
      _mm256_storeu_ps(out + i,
                       _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
  }
  template <unsigned kCount>
  static void narrow(const float* in, std::uint16_t* out) {
    const __m128i infinity = _mm_set1_epi16(0x7c00);
    const __m128i magnitude = _mm_set1_epi16(0x7fff);  // of all but the sign; the canonical NaN
    for (unsigned i = 0; i < kCount; i += 8) {
      const __m128i narrow = _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
      const __m128i nan = _mm_cmpgt_epi16(_mm_and_si128(narrow, magnitude), infinity);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                       _mm_blendv_epi8(narrow, magnitude, nan));
    }
  }
};

struct BF16 {
  static constexpr float kLeastNormal = 0x1p-126F;

  static constexpr float widen(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
  }
  static constexpr std::uint16_t narrow(float value) {
    const std::uint32_t bits = bits_of(value);
    const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return static_cast<std::uint16_t>(is_nan(value) ? kCanonicalNan16 : rounded);
  }
  // Products can leave the range of single precision on both sides.
  static constexpr float add(float a, float b) { return narrow_to_odd(double{a} + double{b}); }
  static constexpr float multiply(float a, float b) { return narrow_to_odd(double{a} * double{b}); }
  static constexpr float multiply_add(float a, float b, float c) {
    return narrow_to_odd(add_to_odd(double{a} * double{b}, double{c}));
  }

  template <unsigned kCount>
  static void widen(const std::uint16_t* in, float* out) {
    for (unsigned i = 0; i < kCount; ++i) out[i] = widen(in[i]);
  }
  template <unsigned kCount>
  static void narrow(const float* in, std::uint16_t* out) {
    for (unsigned i = 0; i < kCount; ++i) out[i] = narrow(in[i]);
  }
};

// .ftz: for a widened source, or a result before it is narrowed.
template <class Format>
constexpr float flush_widened(float value) {
  return absolute(value) < Format::kLeastNormal ? value * 0.0F : value;
}

// .relu: negative results become +0, a NaN stays one.
template <class T>
constexpr T rectify(T value) {
  return value > 0 || is_nan(value) ? value : T{0};
}

}  // namespace egpu::emu
