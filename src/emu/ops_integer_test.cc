// Which function of emu/arithmetic/integer.h each PTX form calls, with which operands.
#include <limits>

#include "emu/test_instruction.h"

namespace egpu::emu {
namespace {

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using ::testing::ElementsAre;
template <class T>
using V = std::vector<T>;

constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();

TEST(IntegerOps, AddAndSubtractInEveryWidth) {
  EXPECT_THAT(
      evaluate<int32_t>("add.s32 %d, %a, %b", V<int32_t>{kMost, -1, 5}, V<int32_t>{1, 1, -7}),
      ElementsAre(kLeast, 0, -2));
  EXPECT_THAT(evaluate<int32_t>("add.sat.s32 %d, %a, %b", V<int32_t>{kMost, kLeast, 5},
                                V<int32_t>{1, -1, -7}),
              ElementsAre(kMost, kLeast, -2));
  EXPECT_THAT(evaluate<int32_t>("sub.sat.s32 %d, %a, %b", V<int32_t>{kLeast, 0}, V<int32_t>{1, 7}),
              ElementsAre(kLeast, -7));
  EXPECT_THAT(evaluate<uint16_t>("add.u16 %d, %a, %b", V<uint16_t>{0xffff}, V<uint16_t>{3}),
              ElementsAre(2));
  EXPECT_THAT(evaluate<uint64_t>("sub.u64 %d, %a, %b", V<uint64_t>{1}, V<uint64_t>{2}),
              ElementsAre(~uint64_t{0}));
  EXPECT_THAT(
      evaluate<uint32_t>("add.u16x2 %d, %a, %b", V<uint32_t>{0xffff0001}, V<uint32_t>{0x00020003}),
      ElementsAre(0x00010004U));
  EXPECT_THAT(evaluate<uint32_t>("add.s32 %d, %a, -1", V<uint32_t>{0}), ElementsAre(0xffffffffU));
}

TEST(IntegerOps, CarriesGoFromLaneToSameLane) {
  const V<uint32_t> low = {0xffffffff, 0xffffffff, 5};
  const V<uint32_t> addend = {1, 0, 0xffffffff};
  EXPECT_THAT(evaluate<uint32_t>("add.cc.u32 %t0, %a, %b; addc.u32 %d, 10, 20", low, addend),
              ElementsAre(31U, 30U, 31U));
  // The second addition carries out of the first's carry.
  EXPECT_THAT(
      evaluate<uint32_t>(
          "add.cc.u32 %t0, %a, %b; addc.cc.u32 %t1, 0xffffffff, 0; addc.u32 %d, 0, 0", low, addend),
      ElementsAre(1U, 0U, 1U));
  EXPECT_THAT(evaluate<uint32_t>("sub.cc.s32 %t0, %a, %b; subc.s32 %d, 10, 4", V<uint32_t>{1, 2},
                                 V<uint32_t>{2, 2}),
              ElementsAre(5U, 6U));
  // What sub.cc leaves is the carry of adding the complement.
  EXPECT_THAT(evaluate<uint32_t>("sub.cc.u32 %t0, %a, %b; addc.u32 %d, 0, 0", V<uint32_t>{1, 2},
                                 V<uint32_t>{2, 2}),
              ElementsAre(0U, 1U));
  EXPECT_THAT(evaluate<uint32_t>("add.cc.u32 %t0, %a, %b; subc.u32 %d, 10, 4", low, addend),
              ElementsAre(6U, 5U, 6U));
  EXPECT_THAT(evaluate<uint64_t>("add.cc.u64 %w0, %a, %b; addc.u64 %d, 0, 0",
                                 V<uint64_t>{~uint64_t{0}, 1}, V<uint64_t>{1, 1}),
              ElementsAre(1U, 0U));
}

TEST(IntegerOps, MultipliesLongNumbersByCarryingMads) {
  // The low 64 bits of (a + 2^32 * a) * b by 32-bit pieces.
  const V<uint32_t> a = {0xffffffff, 0x89abcdef, 3};
  const V<uint32_t> b = {0xffffffff, 0xfedcba98, 7};
  const auto high = evaluate<uint32_t>(
      "mul.lo.u32 %t0, %a, %b; mul.hi.u32 %t1, %a, %b; mad.lo.cc.u32 %t2, %a, %b, %t1;"
      "madc.hi.u32 %d, %a, %b, 0",
      a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const uint64_t product = uint64_t{a[i]} * b[i];
    const uint64_t upper = product + (product >> 32);
    const uint64_t carry = upper < product ? 1 : 0;
    EXPECT_EQ(carry, 0U);
    EXPECT_EQ(high[i], static_cast<uint32_t>(upper >> 32));
  }
}

TEST(IntegerOps, MultipliesLowHighAndWide) {
  const V<int32_t> a = {-3, kLeast, 100000};
  const V<int32_t> b = {5, kLeast, 100000};
  EXPECT_THAT(evaluate<int32_t>("mul.lo.s32 %d, %a, %b", a, b), ElementsAre(-15, 0, 1410065408));
  EXPECT_THAT(evaluate<int32_t>("mul.hi.s32 %d, %a, %b", a, b), ElementsAre(-1, 0x40000000, 2));
  EXPECT_THAT(
      evaluate<uint32_t>("mul.hi.u32 %d, %a, %b", V<uint32_t>{0xffffffff}, V<uint32_t>{0xffffffff}),
      ElementsAre(0xfffffffeU));
  EXPECT_THAT(evaluate<int64_t>("mul.wide.s32 %d, %a, %b", a, b),
              ElementsAre(-15, int64_t{1} << 62, 10'000'000'000));
  EXPECT_THAT(
      evaluate<uint32_t>("mul.wide.u16 %d, %a, %b", V<uint16_t>{0xffff}, V<uint16_t>{0xffff}),
      ElementsAre(0xfffe0001U));
  EXPECT_THAT(
      evaluate<uint64_t>("mul.hi.u64 %d, %a, %b", V<uint64_t>{~uint64_t{0}}, V<uint64_t>{2}),
      ElementsAre(1U));
  EXPECT_THAT(evaluate<int32_t>("mad.lo.s32 %d, %a, %b, %c", a, b, V<int32_t>{1, 2, 3}),
              ElementsAre(-14, 2, 1410065411));
  EXPECT_THAT(evaluate<int64_t>("mad.wide.s32 %d, %a, %b, %c", a, b, V<int64_t>{1, -1, -10}),
              ElementsAre(-14, (int64_t{1} << 62) - 1, 9'999'999'990));
  EXPECT_THAT(evaluate<int32_t>("mad.hi.sat.s32 %d, %a, %b, %c", V<int32_t>{kLeast, 0},
                                V<int32_t>{kLeast, 0}, V<int32_t>{kMost, 9}),
              ElementsAre(kMost, 9));
  EXPECT_THAT(
      evaluate<int32_t>("mul24.hi.s32 %d, %a, %b", V<int32_t>{0x7fffff}, V<int32_t>{0x7fffff}),
      ElementsAre(0x3fffff00));
  EXPECT_THAT(evaluate<int32_t>("mad24.lo.s32 %d, %a, %b, %c", V<int32_t>{0xffffff}, V<int32_t>{7},
                                V<int32_t>{1}),
              ElementsAre(-6));
  EXPECT_THAT(evaluate<int32_t>("mad24.hi.sat.s32 %d, %a, %b, %c", V<int32_t>{0x7fffff},
                                V<int32_t>{0x7fffff}, V<int32_t>{kMost}),
              ElementsAre(kMost));
}

TEST(IntegerOps, DividesWithoutFaults) {
  EXPECT_THAT(evaluate<int32_t>("div.s32 %d, %a, %b", V<int32_t>{7, -7, kLeast, 1},
                                V<int32_t>{2, 2, -1, 0}),
              ElementsAre(3, -3, kLeast, -1));
  EXPECT_THAT(evaluate<int32_t>("rem.s32 %d, %a, %b", V<int32_t>{7, -7, kLeast, 1},
                                V<int32_t>{2, 2, -1, 0}),
              ElementsAre(1, -1, 0, -1));
  EXPECT_THAT(
      evaluate<uint64_t>("div.u64 %d, %a, %b", V<uint64_t>{~uint64_t{0}, 9}, V<uint64_t>{10, 0}),
      ElementsAre(1844674407370955161U, ~uint64_t{0}));
  EXPECT_THAT(evaluate<uint16_t>("rem.u16 %d, %a, %b", V<uint16_t>{65535}, V<uint16_t>{1000}),
              ElementsAre(535));
}

TEST(IntegerOps, TakesMagnitudesAndExtremes) {
  EXPECT_THAT(evaluate<int32_t>("abs.s32 %d, %a", V<int32_t>{-5, 5, kLeast}),
              ElementsAre(5, 5, kLeast));
  EXPECT_THAT(evaluate<int64_t>("neg.s64 %d, %a", V<int64_t>{-5, 0}), ElementsAre(5, 0));
  EXPECT_THAT(evaluate<int32_t>("min.s32 %d, %a, %b", V<int32_t>{-5, 5}, V<int32_t>{3, 3}),
              ElementsAre(-5, 3));
  EXPECT_THAT(evaluate<uint32_t>("min.u32 %d, %a, %b", V<uint32_t>{0xfffffffb}, V<uint32_t>{3}),
              ElementsAre(3U));
  EXPECT_THAT(evaluate<int32_t>("max.s32 %d, %a, %b", V<int32_t>{-5, 5}, V<int32_t>{3, 3}),
              ElementsAre(3, 5));
  EXPECT_THAT(evaluate<int32_t>("min.relu.s32 %d, %a, %b", V<int32_t>{-5, 5}, V<int32_t>{3, 3}),
              ElementsAre(0, 3));
  EXPECT_THAT(
      evaluate<uint32_t>("max.s16x2 %d, %a, %b", V<uint32_t>{0xffff0005}, V<uint32_t>{0xfffe0003}),
      ElementsAre(0xffff0005U));
  EXPECT_THAT(
      evaluate<uint32_t>("max.u16x2 %d, %a, %b", V<uint32_t>{0x00010005}, V<uint32_t>{0xfffe0003}),
      ElementsAre(0xfffe0005U));
  EXPECT_THAT(evaluate<uint32_t>("min.relu.s16x2 %d, %a, %b", V<uint32_t>{0xffff0005},
                                 V<uint32_t>{0x00020003}),
              ElementsAre(0x00000003U));
  EXPECT_THAT(evaluate<int32_t>("sad.s32 %d, %a, %b, %c", V<int32_t>{-5, 5}, V<int32_t>{3, 3},
                                V<int32_t>{100, 100}),
              ElementsAre(108, 102));
}

TEST(IntegerOps, DotProductsReadTheirTypesInOrder) {
  const V<uint32_t> a = {0x8002ff01};
  const V<uint32_t> b = {0x02ff0403};
  const V<uint32_t> c = {10};
  EXPECT_THAT(evaluate<uint32_t>("dp4a.u32.s32 %d, %a, %b, %c", a, b, c),
              ElementsAre(10U + 3 + 1020 - 2 + 256));
  EXPECT_THAT(evaluate<int32_t>("dp4a.s32.u32 %d, %a, %b, %c", a, b, c),
              ElementsAre(10 + 3 - 4 + 510 - 256));
  EXPECT_THAT(evaluate<int32_t>("dp2a.hi.s32.s32 %d, %a, %b, %c", a, b, c),
              ElementsAre(10 + 255 - 32766 * 2));
  EXPECT_THAT(evaluate<uint32_t>("dp2a.lo.u32.u32 %d, %a, %b, %c", a, b, c),
              ElementsAre(10U + 65281 * 3 + 32770 * 4));
}

TEST(Integers, DifferencesOfBytes) {
  const V<uint32_t> a = {0x00ff10f0};
  const V<uint32_t> b = {0xff001020};
  const V<uint32_t> c = {7};
  EXPECT_THAT(evaluate<uint32_t>("vabsdiff4.u32.u32.u32 %d, %a, %b, %c", a, b, c),
              ElementsAre(0xffff00d0U));
  EXPECT_THAT(evaluate<uint32_t>("vabsdiff4.u32.u32.u32.add %d, %a, %b, %c", a, b, c),
              ElementsAre(7U + 255 + 255 + 208));
}

}  // namespace
}  // namespace egpu::emu
