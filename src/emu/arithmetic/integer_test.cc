#include "emu/arithmetic/integer.h"

#include <gtest/gtest.h>

#include <vector>

namespace egpu::emu {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// Values at which something changes.
template <class T>
std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  const auto half = static_cast<T>(Limits::max() / 2);
  return {T{0},
          T{1},
          T{2},
          static_cast<T>(-1),
          static_cast<T>(-2),
          T{3},
          T{10},
          T{100},
          Limits::min(),
          static_cast<T>(Limits::min() + 1),
          Limits::max(),
          static_cast<T>(Limits::max() - 1),
          half,
          static_cast<T>(half + 1),
          static_cast<T>(0x5a5a5a5a5a5a5a5a),
          static_cast<T>(0xa5a5a5a5a5a5a5a5)};
}

template <class T>
class IntegerTest : public testing::Test {};
using Types = testing::Types<std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                             std::uint64_t>;
TYPED_TEST_SUITE(IntegerTest, Types);

TYPED_TEST(IntegerTest, SumsAndProductsAreThoseOfWideIntegersCutToTheWidth) {
  using T = TypeParam;
  for (const T a : edges<T>()) {
    for (const T b : edges<T>()) {
      SCOPED_TRACE(testing::Message() << +a << ", " << +b);
      EXPECT_EQ(add(a, b), static_cast<T>(Wide{a} + b));
      EXPECT_EQ(subtract(a, b), static_cast<T>(Wide{a} - b));
      EXPECT_EQ(multiply_low(a, b), static_cast<T>(static_cast<UnsignedWide>(Wide{a}) *
                                                   static_cast<UnsignedWide>(Wide{b})));
    }
  }
}

TYPED_TEST(IntegerTest, HighProductComesFromPartialProducts) {
  using T = TypeParam;
  constexpr unsigned kHalf = kBitsOf<T> / 2;
  for (const T a : edges<T>()) {
    for (const T b : edges<T>()) {
      // Schoolbook, on halves: the high halves carry the sign.
      const auto low = [](T v) { return Wide{v} & ((Wide{1} << kHalf) - 1); };
      const auto high = [](T v) { return Wide{v} >> kHalf; };
      const Wide middle = high(a) * low(b) + (low(a) * low(b) >> kHalf);
      const Wide other = low(a) * high(b) + (middle & ((Wide{1} << kHalf) - 1));
      const Wide expected = high(a) * high(b) + (middle >> kHalf) + (other >> kHalf);
      EXPECT_EQ(multiply_high(a, b), static_cast<T>(expected)) << +a << ", " << +b;
    }
  }
}

TYPED_TEST(IntegerTest, DivisionTruncatesAndIsDefinedEverywhere) {
  using T = TypeParam;
  for (const T a : edges<T>()) {
    for (const T b : edges<T>()) {
      SCOPED_TRACE(testing::Message() << +a << " / " << +b);
      if (b == 0) {
        EXPECT_EQ(divide(a, b), static_cast<T>(-1));
        EXPECT_EQ(remainder(a, b), static_cast<T>(-1));
      } else {
        EXPECT_EQ(divide(a, b), static_cast<T>(Wide{a} / b));
        EXPECT_EQ(remainder(a, b), static_cast<T>(Wide{a} % b));
      }
    }
  }
}

TYPED_TEST(IntegerTest, AbsoluteDifferenceIsAddedModuloTheWidth) {
  using T = TypeParam;
  for (const T a : edges<T>()) {
    for (const T b : edges<T>()) {
      const Wide difference = Wide{a} - b;
      const Wide expected = (difference < 0 ? -difference : difference) + 7;
      EXPECT_EQ(sum_of_absolute_difference(a, b, T{7}), static_cast<T>(expected));
    }
  }
}

TEST(IntegerTest, AbsoluteValueOfTheLeastIsItself) {
  EXPECT_EQ(absolute_value(std::int32_t{-5}), 5);
  EXPECT_EQ(absolute_value(std::numeric_limits<std::int32_t>::min()),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(absolute_value(std::numeric_limits<std::int16_t>::min()),
            std::numeric_limits<std::int16_t>::min());
}

TEST(IntegerTest, SaturatesAtBothEnds) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(add_saturated(kMost, 1), kMost);
  EXPECT_EQ(add_saturated(kLeast, -1), kLeast);
  EXPECT_EQ(add_saturated(kLeast, kMost), -1);
  EXPECT_EQ(subtract_saturated(kLeast, 1), kLeast);
  EXPECT_EQ(subtract_saturated(0, kLeast), kMost);
  EXPECT_EQ(subtract_saturated(-2, kMost), kLeast);
}

TEST(IntegerTest, Products24LookAtTheLow24Bits) {
  EXPECT_EQ(multiply_24_low<std::uint32_t>(0xff00'0003, 0xab00'0005), 15U);
  EXPECT_EQ(multiply_24_low<std::uint32_t>(0xff'ffff, 0xff'ffff), 0xfe00'0001U);
  // 0xffffff^2 = 0xffff'fe00'0001, of which bits 47 to 16.
  EXPECT_EQ(multiply_24_high<std::uint32_t>(0xff'ffff, 0xff'ffff), 0xffff'fe00U);
  EXPECT_EQ(multiply_24_low<std::int32_t>(0xff'ffff, 7), -7);
  EXPECT_EQ(multiply_24_high<std::int32_t>(0x80'0000, 0x7f'ffff),
            static_cast<std::int32_t>((Wide{-0x80'0000} * 0x7f'ffff) >> 16));
}

TEST(IntegerTest, DotProductsTakeSignsFromEachSource) {
  // Bytes of a: 1, 255 or -1, 2, 128 or -128; of b: 3, 4, 255 or -1, 2.
  constexpr std::uint32_t kA = 0x8002ff01;
  constexpr std::uint32_t kB = 0x02ff0403;
  using U = std::uint8_t;
  using S = std::int8_t;
  EXPECT_EQ((dot_product_4<U, U>(kA, kB, 10)), 10U + 3 + 255 * 4 + 2 * 255 + 128 * 2);
  EXPECT_EQ((dot_product_4<S, U>(kA, kB, 10)), static_cast<std::uint32_t>(10 + 3 - 4 + 510 - 256));
  EXPECT_EQ((dot_product_4<U, S>(kA, kB, 10)), 10U + 3 + 1020 - 2 + 256);
  EXPECT_EQ((dot_product_4<S, S>(kA, kB, 10)), static_cast<std::uint32_t>(10 + 3 - 4 - 2 - 256));
  // Halves of a: 0xff01 (65281 or -255), 0x8002 (32770 or -32766).
  EXPECT_EQ((dot_product_2<std::uint16_t, U, false>(kA, kB, 1)), 1U + 65281 * 3 + 32770 * 4);
  EXPECT_EQ((dot_product_2<std::int16_t, S, true>(kA, kB, 1)),
            static_cast<std::uint32_t>(1 + 255 - 32766 * 2));
}

TEST(IntegerTest, CarryComesOutOfTheHighestBit) {
  constexpr std::uint32_t kOnes = ~std::uint32_t{0};
  using W = WithCarry<std::uint32_t>;
  EXPECT_EQ(add_with_carry(kOnes, 0U, false), (W{kOnes, false}));
  EXPECT_EQ(add_with_carry(kOnes, 0U, true), (W{0, true}));
  EXPECT_EQ(add_with_carry(kOnes, 1U, false), (W{0, true}));
  EXPECT_EQ(add_with_carry(kOnes, kOnes, true), (W{kOnes, true}));
  EXPECT_EQ(subtract_with_carry(0U, 0U, true), (W{0, true}));
  EXPECT_EQ(subtract_with_carry(0U, 0U, false), (W{kOnes, false}));
  EXPECT_EQ(subtract_with_carry(0U, kOnes, false), (W{0, false}));
  EXPECT_EQ(subtract_with_carry(kOnes, kOnes, false), (W{kOnes, false}));
  EXPECT_EQ(subtract_with_carry(5U, 3U, false), (W{1, true}));
}

TEST(Integer, SubtractsBytesWithoutTheirSign) {
  EXPECT_EQ(absolute_differences(0x00ff10f0, 0xff001020), 0xffff00d0U);
  EXPECT_EQ(sum_of_bytes(0xff010203), 0x105U);
}

}  // namespace
}  // namespace egpu::emu
