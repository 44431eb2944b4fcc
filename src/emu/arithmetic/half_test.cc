// 16-bit arithmetic against exact sums and products in integers, rounded once.
#include "emu/arithmetic/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "emu/arithmetic/float_format.h"

namespace egpu::emu {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

struct Term {
  Wide significand = 0;
  int exponent = 0;
};

Term term_of(FloatFormat format, std::uint16_t bits) {
  const ExactNumber number = exact(decode(format, bits));
  // Of the 53 bits the low 40 are zero; small significands keep products small.
  const auto significand = static_cast<Wide>(number.significand >> 40);
  return {number.negative ? -significand : significand, number.exponent + 40};
}

// a * b + c, rounded to the nearest. What is far below the other term becomes its sticky bit.
std::uint16_t reference(FloatFormat format, std::uint16_t a, std::uint16_t b, std::uint16_t c,
                        bool zero_is_negative) {
  const Term x = term_of(format, a);
  const Term y = term_of(format, b);
  Term high{x.significand * y.significand, x.exponent + y.exponent};
  Term low = term_of(format, c);
  if (high.exponent < low.exponent) std::swap(high, low);
  constexpr int kMostShift = 80;
  int shift = high.exponent - low.exponent;
  if (high.significand == 0) {
    high = low;
    low = {};
    shift = 0;
  } else if (shift > kMostShift) {
    // The sign of the low term is all that matters.
    low.significand = low.significand > 0 ? 1 : low.significand < 0 ? -1 : 0;
    shift = kMostShift;
  }
  const Wide sum = high.significand * (Wide{1} << shift) + low.significand;
  if (sum == 0) return zero_is_negative ? 0x8000 : 0;
  const auto magnitude = static_cast<UnsignedWide>(sum < 0 ? -sum : sum);
  ExactNumber number{.negative = sum < 0, .exponent = high.exponent - shift};
  int drop = 0;
  while (magnitude >> drop >> 62 != 0) ++drop;
  number.significand = static_cast<std::uint64_t>(magnitude >> drop);
  number.exponent += drop;
  number.sticky = (magnitude & ((UnsignedWide{1} << drop) - 1)) != 0;
  return static_cast<std::uint16_t>(round_to(format, number, Rounding::kNearestEven));
}

std::vector<std::uint16_t> sources(FloatFormat format) {
  const auto infinity = static_cast<std::uint16_t>(format.infinity());
  const auto one =
      static_cast<std::uint16_t>(static_cast<unsigned>(format.bias()) << format.fraction_bits);
  const auto hidden = static_cast<std::uint16_t>(1U << format.fraction_bits);
  std::vector<std::uint16_t> values;
  for (const int bits :
       {0, 1, 2, 3, hidden - 1, hidden + 0, hidden + 1, one - 1, one + 0, one + 1, one + hidden,
        one + hidden + 1, one * 2 - hidden, infinity - hidden, infinity - 2, infinity - 1}) {
    values.push_back(static_cast<std::uint16_t>(bits));
    values.push_back(static_cast<std::uint16_t>(bits | 0x8000));
  }
  std::mt19937 random(3);
  while (values.size() < 80) {
    const auto bits = static_cast<std::uint16_t>(random());
    if ((bits & 0x7fff) < infinity) values.push_back(bits);
  }
  return values;
}

template <class Format>
struct FormatOf;
template <>
struct FormatOf<F16> {
  static constexpr FloatFormat kFormat = kFormatF16;
};
template <>
struct FormatOf<BF16> {
  static constexpr FloatFormat kFormat = kFormatBf16;
};

template <class Format>
class HalfTest : public testing::Test {};
using Formats = testing::Types<F16, BF16>;
TYPED_TEST_SUITE(HalfTest, Formats);

TYPED_TEST(HalfTest, MultiplyAddRoundsOnce) {
  using Format = TypeParam;
  constexpr FloatFormat kFormat = FormatOf<Format>::kFormat;
  const auto values = sources(kFormat);
  for (const std::uint16_t a : values) {
    for (const std::uint16_t b : values) {
      for (const std::uint16_t c : values) {
        const float x = Format::widen(a);
        const float y = Format::widen(b);
        const float z = Format::widen(c);
        const bool negative_zero =
            std::signbit(x) != std::signbit(y) && std::signbit(z) && x * y == 0 && z == 0;
        ASSERT_EQ(Format::narrow(Format::multiply_add(x, y, z)),
                  reference(kFormat, a, b, c, negative_zero))
            << std::hexfloat << x << " * " << y << " + " << z;
      }
    }
  }
}

TYPED_TEST(HalfTest, SumsAndProductsRoundOnce) {
  using Format = TypeParam;
  constexpr FloatFormat kFormat = FormatOf<Format>::kFormat;
  const std::uint16_t one = Format::narrow(1.0F);
  const auto values = sources(kFormat);
  for (const std::uint16_t a : values) {
    for (const std::uint16_t b : values) {
      const float x = Format::widen(a);
      const float y = Format::widen(b);
      const bool both = std::signbit(x) && std::signbit(y);
      ASSERT_EQ(Format::narrow(Format::add(x, y)), reference(kFormat, a, one, b, both));
      const bool differ = std::signbit(x) != std::signbit(y);
      const std::uint16_t zero = differ ? 0x8000 : 0;
      ASSERT_EQ(Format::narrow(Format::multiply(x, y)), reference(kFormat, a, b, zero, differ));
    }
  }
}

TYPED_TEST(HalfTest, EveryCodeSurvivesWideningInBlocksAndAlone) {
  using Format = TypeParam;
  std::vector<std::uint16_t> codes(1 << 16);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i);
  std::vector<float> wide(codes.size());
  std::vector<std::uint16_t> back(codes.size());
  Format::template widen<1 << 16>(codes.data(), wide.data());
  Format::template narrow<1 << 16>(wide.data(), back.data());
  for (const std::uint16_t code : codes) {
    const double value = decode(FormatOf<Format>::kFormat, code);
    const std::uint16_t expected = std::isnan(value) ? kCanonicalNan16 : code;
    ASSERT_EQ(back[code], expected);
    ASSERT_EQ(Format::narrow(Format::widen(code)), expected);
    if (!std::isnan(value)) {
      ASSERT_EQ(double{wide[code]}, value);
    }
  }
}

TYPED_TEST(HalfTest, FlushesSubnormalsToZerosOfTheirSign) {
  using Format = TypeParam;
  constexpr FloatFormat kFormat = FormatOf<Format>::kFormat;
  for (unsigned code = 0; code < 1 << 16; ++code) {
    const auto bits = static_cast<std::uint16_t>(code);
    const bool subnormal = (bits & 0x7fff) < 1U << kFormat.fraction_bits;
    const std::uint16_t expected = subnormal ? bits & 0x8000 : bits;
    if ((bits & 0x7fff) > kFormat.infinity()) continue;
    ASSERT_EQ(bits_of(flush_widened<Format>(Format::widen(bits))),
              bits_of(Format::widen(expected)));
  }
}

TEST(RoundToOddTest, KeepsWhatIsExactAndMarksTheRest) {
  EXPECT_EQ(narrow_to_odd(1.0), 1.0F);
  EXPECT_EQ(narrow_to_odd(1.0 + 0x1p-40), 1.0F + 0x1p-23F);
  EXPECT_EQ(narrow_to_odd(1.0 - 0x1p-40), 1.0F - 0x1p-24F);
  EXPECT_EQ(narrow_to_odd(-1.0 - 0x1p-40), -1.0F - 0x1p-23F);
  EXPECT_EQ(narrow_to_odd(1e-300), 0x1p-149F);
  EXPECT_EQ(narrow_to_odd(-1e-300), -0x1p-149F);
  EXPECT_EQ(narrow_to_odd(1e300), 0x1.fffffep127F);
  EXPECT_EQ(narrow_to_odd(INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(narrow_to_odd(NAN)));
  // 1 + 2^-24 + 2^-30: the nearest is 1 + 2^-23, which is odd already.
  EXPECT_EQ(add_to_odd(1.0F, 0x1p-24F + 0x1p-30F), 1.0F + 0x1p-23F);
  EXPECT_EQ(add_to_odd(1.0F, 0x1p-60F), 1.0F + 0x1p-23F);
  EXPECT_EQ(add_to_odd(1.0F, -0x1p-60F), 1.0F - 0x1p-24F);
}

TEST(RectifyTest, KeepsNanAndDropsNegatives) {
  EXPECT_EQ(bits_of(rectify(-0.0F)), 0U);
  EXPECT_EQ(rectify(-1.0F), 0.0F);
  EXPECT_EQ(rectify(2.0F), 2.0F);
  EXPECT_TRUE(std::isnan(rectify(NAN)));
}

}  // namespace
}  // namespace egpu::emu
