#include "emu/arithmetic/float.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "emu/arithmetic/compare.h"

namespace egpu::emu {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(NanTest, SinglePrecisionHasOne) {
  EXPECT_EQ(bits_of(settle_nan(std::bit_cast<float>(0xffc12345U), 1.0F)), 0x7fffffffU);
  EXPECT_EQ(settle_nan(3.0F, kNan), 3.0F);
}

TEST(NanTest, DoublePrecisionKeepsTheFirstSourceThatIsOne) {
  const auto nan = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
  const double result = nan(0x7ff8'0000'0000'0000);
  EXPECT_EQ(bits_of(settle_nan(result, 1.0, 2.0)), 0xfff8'0000'0000'0000U);
  EXPECT_EQ(bits_of(settle_nan(result, 1.0, nan(0xfff8'0000'0000'0007))), 0xfff8'0000'0000'0007U);
  EXPECT_EQ(bits_of(settle_nan(result, nan(0x7ff0'0000'0000'0001), nan(0x7ff8'0000'0000'0007))),
            0x7ff8'0000'0000'0001U);
}

TEST(FlushTest, LeavesNormalNumbersAlone) {
  EXPECT_EQ(bits_of(flush(0x1p-127F)), 0U);
  EXPECT_EQ(bits_of(flush(-0x1p-149F)), 0x80000000U);
  EXPECT_EQ(flush(0x1p-126F), 0x1p-126F);
  EXPECT_EQ(bits_of(flush(-0.0F)), 0x80000000U);
  EXPECT_EQ(flush(-kInf), -kInf);
  EXPECT_TRUE(is_nan(flush(kNan)));
}

TEST(SaturateTest, ClampsToOneAndPositiveZero) {
  EXPECT_EQ(bits_of(saturate(-0.0F)), 0U);
  EXPECT_EQ(bits_of(saturate(-3.0F)), 0U);
  EXPECT_EQ(bits_of(saturate(kNan)), 0U);
  EXPECT_EQ(saturate(0.5F), 0.5F);
  EXPECT_EQ(saturate(kInf), 1.0F);
}

constexpr ExtremeMode kMin{false, false, false};
constexpr ExtremeMode kMax{true, false, false};
constexpr ExtremeMode kMinNan{false, true, false};
constexpr ExtremeMode kMaxXor{true, false, true};
constexpr ExtremeMode kMinXorNan{false, true, true};

TEST(ExtremeTest, OrdersZerosAndSkipsNan) {
  EXPECT_EQ(extreme<kMin>(1.0F, 2.0F), 1.0F);
  EXPECT_EQ(extreme<kMax>(1.0F, 2.0F), 2.0F);
  EXPECT_TRUE(std::signbit(extreme<kMin>(0.0F, -0.0F)));
  EXPECT_TRUE(std::signbit(extreme<kMin>(-0.0F, 0.0F)));
  EXPECT_FALSE(std::signbit(extreme<kMax>(0.0F, -0.0F)));
  EXPECT_FALSE(std::signbit(extreme<kMax>(-0.0F, 0.0F)));
  EXPECT_EQ(extreme<kMin>(kNan, 2.0F), 2.0F);
  EXPECT_EQ(extreme<kMax>(-2.0F, kNan), -2.0F);
  EXPECT_EQ(bits_of(extreme<kMax>(kNan, kNan)), 0x7fffffffU);
  EXPECT_EQ(bits_of(extreme<kMinNan>(1.0F, kNan)), 0x7fffffffU);
  EXPECT_EQ(bits_of(extreme<kMinNan>(kNan, 1.0F)), 0x7fffffffU);
  EXPECT_EQ(extreme<kMinNan>(-kInf, 1.0F), -kInf);
}

TEST(ExtremeTest, XorsignTakesMagnitudesAndTheProductOfSigns) {
  EXPECT_EQ(extreme<kMaxXor>(-3.0F, 2.0F), -3.0F);
  EXPECT_EQ(extreme<kMaxXor>(-3.0F, -5.0F), 5.0F);
  EXPECT_EQ(extreme<kMaxXor>(1.0F, -5.0F), -5.0F);
  EXPECT_EQ(extreme<kMinXorNan>(-3.0F, -5.0F), 3.0F);
  EXPECT_EQ(bits_of(extreme<kMinXorNan>(-kNan, 1.0F)), 0x7fffffffU);
  // The sign of a NaN counts for the other source.
  EXPECT_EQ(extreme<kMaxXor>(-kNan, 2.0F), -2.0F);
}

TEST(CopySignTest, TakesTheSignOfTheFirst) {
  EXPECT_EQ(copy_sign(-1.0F, 2.0F), -2.0F);
  EXPECT_EQ(copy_sign(1.0, -2.0), 2.0);
  EXPECT_EQ(bits_of(copy_sign(-0.0F, std::bit_cast<float>(0x7fc00001U))), 0xffc00001U);
}

template <FloatClass kClass>
std::string members() {
  const float all[] = {0.0F, -0.0F, 0x1p-149F, -0x1p-127F, 0x1p-126F,
                       1.0F, kInf,  -kInf,     kNan,       -kNan};
  std::string result;
  for (const float value : all) result += belongs_to<kClass>(value) ? '1' : '0';
  return result;
}
TEST(FloatClassTest, SortsEveryKindOfNumber) {
  EXPECT_EQ(members<FloatClass::kFinite>(), "1111110000");
  EXPECT_EQ(members<FloatClass::kInfinite>(), "0000001100");
  EXPECT_EQ(members<FloatClass::kNumber>(), "1111111100");
  EXPECT_EQ(members<FloatClass::kNotANumber>(), "0000000011");
  EXPECT_EQ(members<FloatClass::kNormal>(), "1100110000");
  EXPECT_EQ(members<FloatClass::kSubnormal>(), "0011000000");
}

// Of (1, 1), (1, 2), (2, 1) and (NaN, 1).
template <Comparison kComparison>
std::string truths() {
  const std::pair<float, float> all[] = {{1, 1}, {1, 2}, {2, 1}, {kNan, 1}};
  std::string result;
  for (const auto& [a, b] : all) result += compare<kComparison>(a, b) ? '1' : '0';
  return result;
}
TEST(CompareTest, NanMakesOrderedFalseAndUnorderedTrue) {
  EXPECT_EQ(truths<Comparison::kEqual>(), "1000");
  EXPECT_EQ(truths<Comparison::kNotEqual>(), "0110");
  EXPECT_EQ(truths<Comparison::kLess>(), "0100");
  EXPECT_EQ(truths<Comparison::kLessOrEqual>(), "1100");
  EXPECT_EQ(truths<Comparison::kGreater>(), "0010");
  EXPECT_EQ(truths<Comparison::kGreaterOrEqual>(), "1010");
  EXPECT_EQ(truths<Comparison::kEqualOrUnordered>(), "1001");
  EXPECT_EQ(truths<Comparison::kNotEqualOrUnordered>(), "0111");
  EXPECT_EQ(truths<Comparison::kLessOrUnordered>(), "0101");
  EXPECT_EQ(truths<Comparison::kLessOrEqualOrUnordered>(), "1101");
  EXPECT_EQ(truths<Comparison::kGreaterOrUnordered>(), "0011");
  EXPECT_EQ(truths<Comparison::kGreaterOrEqualOrUnordered>(), "1011");
  EXPECT_EQ(truths<Comparison::kBothNumbers>(), "1110");
  EXPECT_EQ(truths<Comparison::kAnyNan>(), "0001");
}

TEST(DivideApproximatelyTest, VanishesForHugeDivisors) {
  EXPECT_EQ(divide_approximately(6.0F, 3.0F), 2.0F);
  EXPECT_EQ(divide_approximately(0x1p100F, 0x1p126F), 0x1p-26F);
  EXPECT_EQ(bits_of(divide_approximately(0x1p127F, 0x1.8p126F)), 0U);
  EXPECT_EQ(bits_of(divide_approximately(0x1p127F, -0x1.8p126F)), 0x80000000U);
  EXPECT_TRUE(is_nan(divide_approximately(kInf, 0x1.8p126F)));
  EXPECT_EQ(divide_approximately(1.0F, kInf), 0.0F);
  EXPECT_EQ(divide_approximately(1.0F, 0.0F), kInf);
}

}  // namespace
}  // namespace egpu::emu
