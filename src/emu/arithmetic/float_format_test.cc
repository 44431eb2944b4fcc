#include "emu/arithmetic/float_format.h"

#include <gtest/gtest.h>
#include <immintrin.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include "emu/arithmetic/convert.h"

namespace egpu::emu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Doubles around what single and half precision can hold, and anywhere.
std::vector<double> interesting() {
  std::vector<double> values = {0.0,          -0.0,           1.0,
                                0x1p-149,     0x1p-150,       0x3p-151,
                                0x1p-126,     0x1.fffffep127, 0x1.ffffffp127,
                                0x1p128,      65504,          65519.99,
                                65520,        0x1p-24,        0x1p-25,
                                0x1.8p-25,    0x1p-14,        0x1.ffcp-15,
                                1e300,        5e-324,         0x1.000001p0,
                                0x1.000003p0, 2049,           2051};
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    std::uint64_t bits = random();
    // Half of them where the narrower formats have their numbers.
    if (i % 2 == 0) bits = (bits & ~(std::uint64_t{0x7ff} << 52)) | (1023 - 160 + bits % 320) << 52;
    const auto value = std::bit_cast<double>(bits);
    if (std::isfinite(value)) values.push_back(value);
  }
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  return values;
}

struct HostMode {
  Rounding rounding;
  int fenv;
};
constexpr HostMode kHostModes[] = {{Rounding::kNearestEven, FE_TONEAREST},
                                   {Rounding::kZero, FE_TOWARDZERO},
                                   {Rounding::kDown, FE_DOWNWARD},
                                   {Rounding::kUp, FE_UPWARD}};

TEST(FloatFormatTest, RoundsDoublesToFloatsAsTheHostDoes) {
  const auto values = interesting();
  for (const HostMode mode : kHostModes) {
    for (const double value : values) {
      std::fesetround(mode.fenv);
      const volatile double source = value;
      const volatile float expected = static_cast<float>(source);
      std::fesetround(FE_TONEAREST);
      ASSERT_EQ(round_to(kFormatF32, exact(value), mode.rounding), bits_of(float{expected}))
          << std::hexfloat << value << " in mode " << static_cast<int>(mode.rounding);
    }
  }
}

TEST(FloatFormatTest, RoundsFloatsToHalvesAsTheHostDoes) {
  for (const double wide : interesting()) {
    const auto value = static_cast<float>(wide);
    if (!std::isfinite(value)) continue;
    const ExactNumber number = exact(double{value});
    EXPECT_EQ(round_to(kFormatF16, number, Rounding::kNearestEven),
              _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT));
    EXPECT_EQ(round_to(kFormatF16, number, Rounding::kZero), _cvtss_sh(value, _MM_FROUND_TO_ZERO));
    EXPECT_EQ(round_to(kFormatF16, number, Rounding::kDown),
              _cvtss_sh(value, _MM_FROUND_TO_NEG_INF));
    EXPECT_EQ(round_to(kFormatF16, number, Rounding::kUp), _cvtss_sh(value, _MM_FROUND_TO_POS_INF));
  }
}

TEST(FloatFormatTest, RoundsIntegersAsTheHostDoes) {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> values = {0,
                                       1,
                                       ~std::uint64_t{0},
                                       std::uint64_t{1} << 63,
                                       (std::uint64_t{1} << 53) + 1,
                                       0xffff'ff80,
                                       0xffff'ffbf,
                                       0x7fff'ffff'ffff'fdff,
                                       0x7fff'ffff'ffff'fe00};
  for (int i = 0; i < 100'000; ++i) values.push_back(random() >> random() % 64);
  for (const HostMode mode : kHostModes) {
    for (const std::uint64_t value : values) {
      const auto as_signed = static_cast<std::int64_t>(value);
      std::fesetround(mode.fenv);
      const volatile std::int64_t source = as_signed;
      const volatile double wide = static_cast<double>(source);
      const volatile float narrow = static_cast<float>(source);
      std::fesetround(FE_TONEAREST);
      ASSERT_EQ(round_to(kFormatF64, exact_integer(as_signed), mode.rounding),
                bits_of(double{wide}));
      ASSERT_EQ(round_to(kFormatF32, exact_integer(as_signed), mode.rounding),
                bits_of(float{narrow}));
    }
  }
  EXPECT_EQ(round_to(kFormatF64, exact_integer(~std::uint64_t{0}), Rounding::kUp), bits_of(0x1p64));
  EXPECT_EQ(round_to(kFormatF64, exact_integer(~std::uint64_t{0}), Rounding::kZero),
            bits_of(0x1.fffffffffffffp63));
}

TEST(FloatFormatTest, StickyBitBreaksTies) {
  // 2049 lies halfway between 2048 and 2050.
  ExactNumber number{.significand = 2049};
  EXPECT_EQ(decode(kFormatF16, round_to(kFormatF16, number, Rounding::kNearestEven)), 2048);
  EXPECT_EQ(decode(kFormatF16, round_to(kFormatF16, number, Rounding::kNearestAway)), 2050);
  number.sticky = true;
  EXPECT_EQ(decode(kFormatF16, round_to(kFormatF16, number, Rounding::kNearestEven)), 2050);
  number.significand = 2048;
  EXPECT_EQ(decode(kFormatF16, round_to(kFormatF16, number, Rounding::kUp)), 2050);
  number.negative = true;
  EXPECT_EQ(decode(kFormatF16, round_to(kFormatF16, number, Rounding::kDown)), -2050);
  EXPECT_EQ(decode(kFormatF16, round_to(kFormatF16, number, Rounding::kUp)), -2048);
}

// Every code of a format is the number that its fields say, and rounds to itself.
void expect_codes_round_to_themselves(FloatFormat format) {
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << format.bits(); ++bits) {
    const double value = decode(format, bits);
    if (!std::isfinite(value)) continue;
    const std::uint64_t magnitude = bits & ((std::uint64_t{1} << (format.bits() - 1)) - 1);
    const auto exponent = static_cast<int>(magnitude >> format.fraction_bits);
    const auto fraction =
        static_cast<double>(magnitude & ((std::uint64_t{1} << format.fraction_bits) - 1));
    const double hidden =
        exponent == 0 ? 0 : std::ldexp(1.0, static_cast<int>(format.fraction_bits));
    const double expected =
        std::ldexp(hidden + fraction,
                   std::max(exponent, 1) - format.bias() - static_cast<int>(format.fraction_bits));
    ASSERT_EQ(std::abs(value), expected);
    ASSERT_EQ(std::signbit(value), magnitude != bits);
    for (const HostMode mode : kHostModes)
      ASSERT_EQ(round_to(format, exact(value), mode.rounding), bits);
  }
}

TEST(FloatFormatTest, CodesRoundToThemselves) {
  expect_codes_round_to_themselves(kFormatF16);
  expect_codes_round_to_themselves(kFormatBf16);
  expect_codes_round_to_themselves(kFormatTf32);
  expect_codes_round_to_themselves(kFormatE5m2);
  expect_codes_round_to_themselves(kFormatE4m3);
}

TEST(FloatFormatTest, EightBitFormatsHaveTheirOwnEnds) {
  EXPECT_EQ(decode(kFormatE4m3, 0x7e), 448);
  EXPECT_TRUE(std::isnan(decode(kFormatE4m3, 0x7f)));
  EXPECT_TRUE(std::isnan(decode(kFormatE4m3, 0xff)));
  EXPECT_EQ(decode(kFormatE5m2, 0x7b), 57344);
  EXPECT_EQ(decode(kFormatE5m2, 0x7c), kInfinity);
  EXPECT_EQ(decode(kFormatE5m2, 0xfc), -kInfinity);
  EXPECT_TRUE(std::isnan(decode(kFormatE5m2, 0x7d)));
  EXPECT_EQ(decode(kFormatE4m3, 0x01), 0x1p-9);
  EXPECT_EQ(decode(kFormatE5m2, 0x01), 0x1p-16);
}

TEST(NarrowTest, SaturatesToTheLargestNumberWhereAsked) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const NarrowMode e4m3{.format = kFormatE4m3, .finite = true};
  const NarrowMode e5m2{.format = kFormatE5m2, .finite = true};
  EXPECT_EQ(narrow_to(e4m3, 448), 0x7eU);
  EXPECT_EQ(narrow_to(e4m3, 463), 0x7eU);
  EXPECT_EQ(narrow_to(e4m3, 480), 0x7eU);
  EXPECT_EQ(narrow_to(e4m3, 1e30F), 0x7eU);
  EXPECT_EQ(narrow_to(e4m3, -kInf), 0xfeU);
  EXPECT_EQ(narrow_to(e4m3, NAN), 0x7fU);
  EXPECT_EQ(narrow_to(e5m2, 61440), 0x7bU);
  EXPECT_EQ(narrow_to(e5m2, kInf), 0x7bU);
  EXPECT_EQ(narrow_to(e5m2, NAN), 0x7fU);
  EXPECT_EQ(narrow_to({.format = kFormatF16}, 65520), 0x7c00U);
  EXPECT_EQ(narrow_to({.format = kFormatF16, .finite = true}, 65520), 0x7bffU);
  EXPECT_EQ(narrow_to({.format = kFormatF16, .finite = true}, -kInf), 0xfbffU);
  EXPECT_EQ(narrow_to({.format = kFormatF16}, -NAN), 0x7fffU);
  EXPECT_EQ(narrow_to({.format = kFormatF16, .relu = true}, -1), 0U);
  EXPECT_EQ(narrow_to({.format = kFormatF16, .relu = true}, -0.0F), 0U);
  EXPECT_EQ(narrow_to({.format = kFormatF16, .relu = true}, NAN), 0x7fffU);
}

TEST(ToIntegerTest, ClampsAndTreatsNanByType) {
  EXPECT_EQ((to_integer<std::int32_t, float>(1e20)), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ((to_integer<std::int32_t, float>(-1e20)), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ((to_integer<std::int32_t, float>(-2147483648.5)),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ((to_integer<std::int32_t, double>(2147483647.5)), 2147483647);
  EXPECT_EQ((to_integer<std::uint32_t, float>(-0.75)), 0U);
  EXPECT_EQ((to_integer<std::uint32_t, float>(4294967040.0)), 4294967040U);
  EXPECT_EQ((to_integer<std::uint32_t, float>(kInfinity)), 0xffffffffU);
  EXPECT_EQ((to_integer<std::uint64_t, float>(0x1p64)), ~std::uint64_t{0});
  EXPECT_EQ((to_integer<std::uint64_t, double>(0x1.fffffffffffffp63)), 0xffff'ffff'ffff'f800U);
  EXPECT_EQ((to_integer<std::int64_t, double>(0x1p63)), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ((to_integer<std::int8_t, float>(127.9)), 127);
  EXPECT_EQ((to_integer<std::int8_t, float>(-200)), -128);
  EXPECT_EQ((to_integer<std::uint8_t, float>(255.9)), 255);
  EXPECT_EQ((to_integer<std::int32_t, float>(NAN)), 0);
  EXPECT_EQ((to_integer<std::uint16_t, float>(NAN)), 0);
  EXPECT_EQ((to_integer<std::int64_t, float>(NAN)), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ((to_integer<std::uint64_t, float>(NAN)), std::uint64_t{1} << 63);
  EXPECT_EQ((to_integer<std::int32_t, double>(NAN)), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ((to_integer<std::uint32_t, double>(NAN)), 0x8000'0000U);
}

TEST(SaturateIntegerTest, ClampsAcrossSigns) {
  EXPECT_EQ(saturate_integer<std::uint8_t>(std::int32_t{-1}), 0);
  EXPECT_EQ(saturate_integer<std::uint8_t>(std::int32_t{256}), 255);
  EXPECT_EQ(saturate_integer<std::int8_t>(std::uint32_t{0xffffffff}), 127);
  EXPECT_EQ(saturate_integer<std::uint32_t>(std::int64_t{-1}), 0U);
  EXPECT_EQ(saturate_integer<std::int32_t>(std::uint64_t{1} << 40),
            std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(saturate_integer<std::uint64_t>(std::int16_t{-5}), 0U);
}

}  // namespace
}  // namespace egpu::emu
