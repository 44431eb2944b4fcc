// Floating-point formats and exact rounding to them, in integer arithmetic.
//
// One function rounds: round_to() takes a significand and an exponent, with whatever lies below
// told by one sticky bit. What the host's own arithmetic cannot round (directed modes of
// conversions, 16-bit and 8-bit formats, 64-bit integers) goes through it, and tests compare it
// with what the host can.
#pragma once

#include <bit>
#include <cstdint>

#include "emu/arithmetic/float_bits.h"

namespace egpu::emu {

enum class Rounding : std::uint8_t {
  kNearestEven,
  kZero,
  kDown,
  kUp,
  kNearestAway,  // ties away from zero: cvt.rna
};

// A binary format with a sign, subnormal numbers and an exponent of all ones for infinities and
// NaNs; `finite_only` formats use that exponent for numbers too, but for the highest code: NaN.
struct FloatFormat {
  unsigned exponent_bits;
  unsigned fraction_bits;
  bool finite_only = false;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr unsigned bits() const { return 1 + exponent_bits + fraction_bits; }
  constexpr std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  }
  constexpr std::uint64_t largest() const {
    return finite_only ? (std::uint64_t{1} << (bits() - 1)) - 2 : infinity() - 1;
  }
};
inline constexpr FloatFormat kFormatF16{5, 10};
inline constexpr FloatFormat kFormatBf16{8, 7};
inline constexpr FloatFormat kFormatTf32{8, 10};
inline constexpr FloatFormat kFormatF32{8, 23};
inline constexpr FloatFormat kFormatF64{11, 52};
inline constexpr FloatFormat kFormatE5m2{5, 2};
inline constexpr FloatFormat kFormatE4m3{4, 3, true};

// (significand + something less than 1 if sticky) * 2^exponent, negated if negative.
struct ExactNumber {
  bool negative = false;
  std::uint64_t significand = 0;  // 0: zero, and sticky is false
  int exponent = 0;
  bool sticky = false;
};

// What a finite double stands for.
constexpr ExactNumber exact(double value) {
  const std::uint64_t bits = bits_of(value);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  return {.negative = is_negative(value),
          .significand = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52,
          .exponent = (exponent == 0 ? 1 : exponent) - 1075};
}
template <class Integer>
constexpr ExactNumber exact_integer(Integer value) {
  const bool negative = value < 0;
  const auto bits = static_cast<std::uint64_t>(value);
  return {.negative = negative, .significand = negative ? std::uint64_t{0} - bits : bits};
}

// Whether the magnitude is to be rounded up; `rest` is what lies below its last bit, of which
// `half` is the middle.
constexpr bool rounds_up(Rounding rounding, bool negative, bool odd, std::uint64_t rest,
                         std::uint64_t half, bool sticky) {
  switch (rounding) {
    case Rounding::kNearestEven:
      return rest > half || (rest == half && (sticky || odd));
    case Rounding::kNearestAway:
      return rest >= half;
    case Rounding::kDown:
      return negative && (rest != 0 || sticky);
    case Rounding::kUp:
      return !negative && (rest != 0 || sticky);
    case Rounding::kZero:
      break;
  }
  return false;
}

// What a number too large for the format becomes, without its sign.
constexpr std::uint64_t overflow_of(FloatFormat format, bool negative, Rounding rounding) {
  const bool away = rounding == Rounding::kNearestEven || rounding == Rounding::kNearestAway ||
                    rounding == (negative ? Rounding::kDown : Rounding::kUp);
  return away && !format.finite_only ? format.infinity() : format.largest();
}

// The number's encoding. Formats without infinities give their largest number where it is exceeded.
constexpr std::uint64_t round_to(FloatFormat format, ExactNumber number, Rounding rounding) {
  const std::uint64_t sign = std::uint64_t{number.negative} << (format.bits() - 1);
  if (number.significand == 0) return sign;

  const int least = 1 - format.bias();  // exponent of the smallest normal number
  const int leading = number.exponent + 63 - std::countl_zero(number.significand);
  const int exponent = leading > least ? leading : least;
  // The significand moves down by `shift` to end at the format's last bit.
  const int shift = exponent - static_cast<int>(format.fraction_bits) - number.exponent;

  std::uint64_t kept = 0;
  if (shift <= 0) {
    kept = number.significand << -shift;
  } else if (shift < 64) {
    kept = number.significand >> shift;
    const std::uint64_t rest = number.significand & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const bool odd = (kept & 1) != 0;
    kept += rounds_up(rounding, number.negative, odd, rest, half, number.sticky) ? 1 : 0;
  } else {
    // Less than one unit of the last place: only how it compares with a half matters.
    const std::uint64_t half = std::uint64_t{1} << 63;
    const std::uint64_t rest = shift == 64 ? number.significand : 1;
    kept += rounds_up(rounding, number.negative, false, rest, half, number.sticky) ? 1 : 0;
  }
  // `kept` has the hidden bit where the number is normal: it adds one to the exponent, and so does
  // a carry out of the fraction.
  const std::uint64_t magnitude =
      (static_cast<std::uint64_t>(exponent - least) << format.fraction_bits) + kept;
  if (exponent > format.bias() + 1 || magnitude > format.largest())
    return sign | overflow_of(format, number.negative, rounding);
  return sign | magnitude;
}

// Bits of a number of the format as a double, which holds all of them exactly. A NaN becomes the
// canonical one.
constexpr double decode(FloatFormat format, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & ((std::uint64_t{1} << (format.bits() - 1)) - 1);
  const bool negative = (bits >> (format.bits() - 1) & 1) != 0;
  if (magnitude > format.largest()) {
    if (format.finite_only || magnitude != format.infinity()) return canonical_nan<double>();
    return std::bit_cast<double>(FloatTraits<double>::kExponent |
                                 (negative ? FloatTraits<double>::kSign : 0));
  }
  const std::uint64_t hidden = std::uint64_t{1} << format.fraction_bits;
  const auto biased = static_cast<int>(magnitude >> format.fraction_bits);
  const std::uint64_t fraction = magnitude & (hidden - 1);
  const ExactNumber number{.negative = negative,
                           .significand = biased == 0 ? fraction : fraction | hidden,
                           .exponent = (biased == 0 ? 1 : biased) - format.bias() -
                                       static_cast<int>(format.fraction_bits)};
  return std::bit_cast<double>(round_to(kFormatF64, number, Rounding::kNearestEven));
}

}  // namespace egpu::emu
