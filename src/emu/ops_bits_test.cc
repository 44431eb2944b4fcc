// Which function of emu/arithmetic/bits.h each PTX form calls, with which operands.
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

TEST(BitOps, ShiftsClampTheirAmounts) {
  const V<uint32_t> amounts = {0, 4, 31, 32, 0xffffffff};
  const V<uint32_t> a(5, 0x80000001);
  EXPECT_THAT(evaluate<uint32_t>("shl.b32 %d, %a, %b", a, amounts),
              ElementsAre(0x80000001U, 0x10U, 0x80000000U, 0U, 0U));
  EXPECT_THAT(evaluate<uint32_t>("shr.u32 %d, %a, %b", a, amounts),
              ElementsAre(0x80000001U, 0x08000000U, 1U, 0U, 0U));
  EXPECT_THAT(evaluate<uint32_t>("shr.b32 %d, %a, 4", a), ::testing::Each(0x08000000U));
  EXPECT_THAT(evaluate<uint32_t>("shr.s32 %d, %a, %b", a, amounts),
              ElementsAre(0x80000001U, 0xf8000000U, 0xffffffffU, 0xffffffffU, 0xffffffffU));
  EXPECT_THAT(
      evaluate<uint64_t>("shl.b64 %d, %a, %b", V<uint64_t>{1, 1, 1}, V<uint32_t>{32, 63, 64}),
      ElementsAre(uint64_t{1} << 32, uint64_t{1} << 63, 0U));
  EXPECT_THAT(
      evaluate<int16_t>("shr.s16 %d, %a, %b", V<int16_t>{-32768, -32768}, V<uint32_t>{15, 16}),
      ElementsAre(-1, -1));
}

TEST(BitOps, FunnelShiftsTakeLowThenHigh) {
  const V<uint32_t> low = {0x89abcdef, 0x89abcdef};
  const V<uint32_t> high = {0x01234567, 0x01234567};
  const V<uint32_t> amounts = {8, 40};
  EXPECT_THAT(evaluate<uint32_t>("shf.l.wrap.b32 %d, %a, %b, %c", low, high, amounts),
              ElementsAre(0x23456789U, 0x23456789U));
  EXPECT_THAT(evaluate<uint32_t>("shf.l.clamp.b32 %d, %a, %b, %c", low, high, amounts),
              ElementsAre(0x23456789U, 0x89abcdefU));
  EXPECT_THAT(evaluate<uint32_t>("shf.r.wrap.b32 %d, %a, %b, %c", low, high, amounts),
              ElementsAre(0x6789abcdU, 0x6789abcdU));
  EXPECT_THAT(evaluate<uint32_t>("shf.r.clamp.b32 %d, %a, %b, %c", low, high, amounts),
              ElementsAre(0x6789abcdU, 0x01234567U));
}

TEST(BitOps, CombinesBitsAndPredicates) {
  const V<uint32_t> a = {0xff00ff00};
  const V<uint32_t> b = {0x0ff00ff0};
  EXPECT_THAT(evaluate<uint32_t>("and.b32 %d, %a, %b", a, b), ElementsAre(0x0f000f00U));
  EXPECT_THAT(evaluate<uint32_t>("or.b32 %d, %a, %b", a, b), ElementsAre(0xfff0fff0U));
  EXPECT_THAT(evaluate<uint32_t>("xor.b32 %d, %a, %b", a, b), ElementsAre(0xf0f0f0f0U));
  EXPECT_THAT(evaluate<uint32_t>("not.b32 %d, %a", a), ElementsAre(0x00ff00ffU));
  EXPECT_THAT(evaluate<uint16_t>("not.b16 %d, %a", V<uint16_t>{0xf0f0}), ElementsAre(0x0f0f));
  EXPECT_THAT(evaluate<uint64_t>("cnot.b64 %d, %a", V<uint64_t>{0, 5}), ElementsAre(1U, 0U));
  const V<bool> p = {false, false, true, true};
  const V<bool> q = {false, true, false, true};
  EXPECT_THAT(evaluate<bool>("and.pred %d, %a, %b", p, q), ElementsAre(false, false, false, true));
  EXPECT_THAT(evaluate<bool>("or.pred %d, %a, %b", p, q), ElementsAre(false, true, true, true));
  EXPECT_THAT(evaluate<bool>("xor.pred %d, %a, %b", p, q), ElementsAre(false, true, true, false));
  EXPECT_THAT(evaluate<bool>("xor.pred %d, %a, !%b", p, q), ElementsAre(true, false, false, true));
  EXPECT_THAT(evaluate<bool>("not.pred %d, %a", p), ElementsAre(true, true, false, false));
}

TEST(BitOps, LooksUpEveryTable) {
  // The sources run through all eight rows.
  const V<uint32_t> a = {0xf0};
  const V<uint32_t> b = {0xcc};
  const V<uint32_t> c = {0xaa};
  for (unsigned table = 0; table < 256; table += 5) {
    const std::string code = "lop3.b32 %d, %a, %b, %c, " + std::to_string(table);
    const auto result = evaluate<uint32_t>(code, a, b, c);
    EXPECT_EQ(result[0] & 0xff, table);
    EXPECT_EQ(result[0] >> 8, (table & 1) != 0 ? 0xffffffU : 0U);
  }
}

TEST(BitOps, LookUpGivesAPredicateToo) {
  const V<uint32_t> a = {1, 0, 1, 0};
  const V<bool> q = {false, false, true, true};
  // 0xf0 is a itself.
  EXPECT_THAT(evaluate<bool>("lop3.or.b32 %t0|%d, %a, 0, 0, 0xf0, %b", a, q),
              ElementsAre(true, false, true, true));
  EXPECT_THAT(evaluate<bool>("lop3.and.b32 _|%d, %a, 0, 0, 0xf0, %b", a, q),
              ElementsAre(false, false, true, false));
  EXPECT_THAT(evaluate<uint32_t>("lop3.or.b32 %d|%p0, %a, 0, 0, 0x0f, %b", a, q),
              ElementsAre(~1U, ~0U, ~1U, ~0U));
}

TEST(BitOps, CountsAndFindsBits) {
  EXPECT_THAT(evaluate<uint32_t>("popc.b32 %d, %a", V<uint32_t>{0, 0xffffffff, 0x11}),
              ElementsAre(0U, 32U, 2U));
  EXPECT_THAT(evaluate<uint32_t>("popc.b64 %d, %a", V<uint64_t>{~uint64_t{0}}), ElementsAre(64U));
  EXPECT_THAT(evaluate<uint32_t>("clz.b32 %d, %a", V<uint32_t>{0, 1, 0x80000000}),
              ElementsAre(32U, 31U, 0U));
  EXPECT_THAT(evaluate<uint32_t>("clz.b64 %d, %a", V<uint64_t>{0, 1}), ElementsAre(64U, 63U));
  EXPECT_THAT(evaluate<uint32_t>("bfind.u32 %d, %a", V<uint32_t>{0, 1, 0x80000000}),
              ElementsAre(~0U, 0U, 31U));
  EXPECT_THAT(evaluate<uint32_t>("bfind.s64 %d, %a", V<int64_t>{-1, -2, 0x100000000}),
              ElementsAre(~0U, 0U, 32U));
  EXPECT_THAT(evaluate<uint32_t>("bfind.shiftamt.s32 %d, %a", V<int32_t>{-1, 1}),
              ElementsAre(~0U, 31U));
  EXPECT_THAT(evaluate<uint32_t>("fns.b32 %d, %a, %b, %c", V<uint32_t>{0xaaaaaaaa, 0xaaaaaaaa},
                                 V<uint32_t>{3, 3}, V<int32_t>{2, -2}),
              ElementsAre(5U, 1U));
  EXPECT_THAT(evaluate<uint32_t>("brev.b32 %d, %a", V<uint32_t>{0x0000000d}),
              ElementsAre(0xb0000000U));
}

TEST(BitOps, MovesFields) {
  const V<uint32_t> position = {8, 28};
  const V<uint32_t> length = {8, 8};
  EXPECT_THAT(
      evaluate<uint32_t>("bfe.u32 %d, %a, %b, %c", V<uint32_t>(2, 0x9234f678), position, length),
      ElementsAre(0xf6U, 9U));
  EXPECT_THAT(
      evaluate<int32_t>("bfe.s32 %d, %a, %b, %c", V<uint32_t>(2, 0x9234f678), position, length),
      ElementsAre(-10, -7));
  EXPECT_THAT(evaluate<uint32_t>("bfi.b32 %d, %a, %b, %c, %e", V<uint32_t>(2, 0xab),
                                 V<uint32_t>(2, 0xffffffff), position, length),
              ElementsAre(0xffffabffU, 0xbfffffffU));
  EXPECT_THAT(evaluate<uint64_t>("bfi.b64 %d, %a, %b, 32, 16", V<uint64_t>{0x1234}, V<uint64_t>{0}),
              ElementsAre(0x1234'0000'0000U));
  EXPECT_THAT(
      evaluate<int32_t>("szext.clamp.s32 %d, %a, %b", V<int32_t>{0xab, 0xab}, V<uint32_t>{8, 0}),
      ElementsAre(-85, 0));
  EXPECT_THAT(evaluate<int32_t>("szext.wrap.u32 %d, %a, %b", V<int32_t>{0xab}, V<uint32_t>{36}),
              ElementsAre(0xb));
  EXPECT_THAT(
      evaluate<uint32_t>("bmsk.clamp.b32 %d, %a, %b", V<uint32_t>{4, 4}, V<uint32_t>{8, 99}),
      ElementsAre(0xff0U, 0xfffffff0U));
  EXPECT_THAT(evaluate<uint32_t>("bmsk.wrap.b32 %d, %a, %b", V<uint32_t>{36}, V<uint32_t>{40}),
              ElementsAre(0xff0U));
}

TEST(BitOps, PermutesInEveryMode) {
  const V<uint32_t> a(1, 0x33221100);
  const V<uint32_t> b(1, 0x77665544);
  const auto permuted = [&](const std::string& mode, uint32_t selector) {
    return evaluate<uint32_t>("prmt.b32" + mode + " %d, %a, %b, %c", a, b,
                              V<uint32_t>{selector})[0];
  };
  EXPECT_EQ(permuted("", 0x7610), 0x77661100U);
  EXPECT_EQ(permuted(".f4e", 1), 0x44332211U);
  EXPECT_EQ(permuted(".b4e", 1), 0x66770011U);
  EXPECT_EQ(permuted(".rc8", 6), 0x22222222U);
  EXPECT_EQ(permuted(".ecl", 1), 0x33221111U);
  EXPECT_EQ(permuted(".ecr", 1), 0x11111100U);
  EXPECT_EQ(permuted(".rc16", 1), 0x33223322U);
}

TEST(BitOps, RefusesWhatDoesNotExist) {
  const auto refusal = [](const std::string& code) {
    return error_of(".entry k() { .reg .b32 %r<4>; .reg .b64 %q<4>; .reg .b16 %h<4>;\n" + code +
                    ";\n}")
        .message;
  };
  EXPECT_THAT(refusal("shl.u32 %r0, %r1, %r2"),
              ::testing::HasSubstr("does not exist for this type"));
  EXPECT_THAT(refusal("shf.l.b32 %r0, %r1, %r2, %r3"), ::testing::HasSubstr("needs"));
  EXPECT_THAT(refusal("lop3.b32 %r0, %r1, %r2, %r3, 256"), ::testing::HasSubstr("8 bits"));
  EXPECT_THAT(refusal("lop3.b32 %r0, %r1, %r2, %r3, %r0"), ::testing::HasSubstr("immediate"));
  EXPECT_THAT(refusal("popc.b16 %r0, %h1"), ::testing::HasSubstr("does not exist"));
  EXPECT_THAT(refusal("not.f32 %r0, %r1"), ::testing::HasSubstr("does not exist"));
  EXPECT_THAT(refusal("brev.b32.foo %r0, %r1"), ::testing::HasSubstr("'.foo'"));
  EXPECT_THAT(refusal("and.b32 %r0, %r1"), ::testing::HasSubstr("operands"));
}

}  // namespace
}  // namespace egpu::emu
