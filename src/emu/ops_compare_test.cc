#include <limits>

#include "emu/test_instruction.h"

namespace egpu::emu {
namespace {

using std::int32_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using ::testing::ElementsAre;
template <class T>
using V = std::vector<T>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::string text(const V<bool>& values) {
  std::string result;
  for (const bool value : values) result += value ? '1' : '0';
  return result;
}

TEST(CompareOps, OrdersIntegersBySign) {
  const V<int32_t> a = {1, 2, 3, -1};
  const V<int32_t> b = {2, 2, 2, 2};
  const auto of = [&](const std::string& comparison) {
    return text(evaluate<bool>("setp." + comparison + " %d, %a, %b", a, b));
  };
  EXPECT_EQ(of("eq.s32"), "0100");
  EXPECT_EQ(of("ne.b32"), "1011");
  EXPECT_EQ(of("lt.s32"), "1001");
  EXPECT_EQ(of("le.s32"), "1101");
  EXPECT_EQ(of("gt.s32"), "0010");
  EXPECT_EQ(of("ge.s32"), "0110");
  EXPECT_EQ(of("lt.u32"), "1000");
  EXPECT_EQ(of("lo.u32"), "1000");
  EXPECT_EQ(of("ls.u32"), "1100");
  EXPECT_EQ(of("hi.u32"), "0011");
  EXPECT_EQ(of("hs.u32"), "0111");
  EXPECT_EQ(text(evaluate<bool>("setp.gt.s16 %d, %a, -1", V<uint16_t>{0, 0xffff, 0x8000})), "100");
  EXPECT_EQ(text(evaluate<bool>("setp.lt.u64 %d, %a, %b", V<uint64_t>{1, ~uint64_t{0}},
                                V<uint64_t>{uint64_t{1} << 32, 0})),
            "10");
}

TEST(CompareOps, NanIsUnordered) {
  const V<float> a = {1, 1, 2, kNan};
  const V<float> b = {1, 2, 1, 1};
  const auto of = [&](const std::string& comparison) {
    return text(evaluate<bool>("setp." + comparison + ".f32 %d, %a, %b", a, b));
  };
  EXPECT_EQ(of("eq"), "1000");
  EXPECT_EQ(of("ne"), "0110");
  EXPECT_EQ(of("lt"), "0100");
  EXPECT_EQ(of("ge"), "1010");
  EXPECT_EQ(of("equ"), "1001");
  EXPECT_EQ(of("neu"), "0111");
  EXPECT_EQ(of("ltu"), "0101");
  EXPECT_EQ(of("leu"), "1101");
  EXPECT_EQ(of("gtu"), "0011");
  EXPECT_EQ(of("geu"), "1011");
  EXPECT_EQ(of("num"), "1110");
  EXPECT_EQ(of("nan"), "0001");
  EXPECT_EQ(of("lt.ftz"), "0100");
  EXPECT_EQ(text(evaluate<bool>("setp.gt.ftz.f32 %d, %a, 0f00000000", V<float>{0x1p-149F, 1})),
            "01");
  EXPECT_EQ(text(evaluate<bool>("setp.gt.f32 %d, %a, 0f00000000", V<float>{0x1p-149F, 1})), "11");
  EXPECT_EQ(text(evaluate<bool>("setp.leu.f64 %d, %a, 0d0000000000000000", V<double>{-1, 1, kNan})),
            "101");
}

TEST(CompareOps, CombinesWithAPredicateAndGivesTwo) {
  const V<int32_t> a = {0, 0, 5, 5};
  const V<bool> c = {false, true, false, true};
  const auto both = [&](const std::string& code) {
    return text(evaluate<bool>(code + "; mov.pred %d, %p0", a, c)) + " " +
           text(evaluate<bool>(code + "; mov.pred %d, %p1", a, c));
  };
  EXPECT_EQ(both("setp.eq.s32 %p0|%p1, %a, 0"), "1100 0011");
  EXPECT_EQ(both("setp.eq.and.s32 %p0|%p1, %a, 0, %b"), "0100 0001");
  EXPECT_EQ(both("setp.eq.or.s32 %p0|%p1, %a, 0, %b"), "1101 0111");
  EXPECT_EQ(both("setp.eq.xor.s32 %p0|%p1, %a, 0, !%b"), "0110 1001");
  EXPECT_EQ(text(evaluate<bool>("setp.eq.and.s32 %d, %a, 0, %b", a, c)), "0100");
  EXPECT_EQ(text(evaluate<bool>("setp.eq.and.s32 _|%d, %a, 0, %b", a, c)), "0001");
  // The predicate that is combined with may be a result too.
  EXPECT_EQ(text(evaluate<bool>(
                "mov.pred %p0, %b; setp.eq.and.s32 %p0|%p1, %a, 0, %p0; mov.pred %d, %p1", a, c)),
            "0001");
}

TEST(CompareOps, AGuardMayBeAResult) {
  const V<int32_t> a = {0, 1, 0, 1};
  const V<bool> g = {true, true, false, false};
  const auto run = [&](const std::string& result) {
    return text(evaluate<bool>(
        "mov.pred %p1, %b; mov.pred %p0, %b; setp.eq.s32 %p0|%p1, %a, 0; mov.pred %d, " + result, a,
        g));
  };
  EXPECT_EQ(run("%p0"), "1010");
  EXPECT_EQ(run("%p1"), "0101");
}

TEST(CompareOps, ComparesHalvesAloneAndInPairs) {
  // 1, 2, NaN, subnormal against 1.5 and 0.
  const V<uint16_t> a = {0x3c00, 0x4000, 0x7e00, 0x0001};
  EXPECT_EQ(text(evaluate<bool>("setp.lt.f16 %d, %a, %b", a, V<uint16_t>(4, 0x3e00))), "1001");
  EXPECT_EQ(text(evaluate<bool>("setp.gtu.f16 %d, %a, %b", a, V<uint16_t>(4, 0x3e00))), "0110");
  EXPECT_EQ(text(evaluate<bool>("setp.gt.f16 %d, %a, %b", a, V<uint16_t>(4, 0))), "1101");
  EXPECT_EQ(text(evaluate<bool>("setp.gt.ftz.f16 %d, %a, %b", a, V<uint16_t>(4, 0))), "1100");
  EXPECT_EQ(
      text(evaluate<bool>("setp.lt.bf16 %d, %a, %b", V<uint16_t>{0x3f80}, V<uint16_t>{0x4000})),
      "1");
  const V<uint32_t> x = {0x3c004000};
  const V<uint32_t> y = {0x40003c00};
  EXPECT_EQ(text(evaluate<bool>("setp.lt.f16x2 %d|%p0, %a, %b", x, y)), "0");
  EXPECT_EQ(text(evaluate<bool>("setp.lt.f16x2 %p0|%d, %a, %b", x, y)), "1");
  EXPECT_EQ(text(evaluate<bool>("setp.lt.or.bf16x2 %d|%p0, %a, %b, %c", x, y, V<bool>{true})), "1");
}

TEST(CompareOps, SetGivesOnesOrOne) {
  const V<int32_t> a = {1, 3};
  EXPECT_THAT(evaluate<uint32_t>("set.lt.u32.s32 %d, %a, 2", a), ElementsAre(0xffffffffU, 0U));
  EXPECT_THAT(evaluate<float>("set.ge.f32.s32 %d, %a, 2", a), ElementsAre(0, 1));
  EXPECT_THAT(evaluate<uint32_t>("set.lt.and.u32.s32 %d, %a, 2, %b", a, V<bool>{false, true}),
              ElementsAre(0U, 0U));
  EXPECT_THAT(evaluate<uint32_t>("set.neu.u32.f32 %d, %a, %b", V<float>{kNan, 1}, V<float>{1, 1}),
              ElementsAre(0xffffffffU, 0U));
  EXPECT_THAT(
      evaluate<uint16_t>("set.lt.f16.f16 %d, %a, %b", V<uint16_t>{0x3c00}, V<uint16_t>{0x4000}),
      ElementsAre(0x3c00));
  EXPECT_THAT(evaluate<uint32_t>("set.lt.f16x2.f16x2 %d, %a, %b", V<uint32_t>{0x3c004000},
                                 V<uint32_t>{0x40003c00}),
              ElementsAre(0x3c000000U));
  EXPECT_THAT(evaluate<uint32_t>("set.gt.u32.f16x2 %d, %a, %b", V<uint32_t>{0x3c004000},
                                 V<uint32_t>{0x40003c00}),
              ElementsAre(0x0000ffffU));
}

TEST(CompareOps, Selects) {
  EXPECT_THAT(evaluate<uint32_t>("selp.b32 %d, %a, 9, %b", V<uint32_t>{1, 2}, V<bool>{true, false}),
              ElementsAre(1U, 9U));
  EXPECT_THAT(
      evaluate<double>("selp.f64 %d, %a, %b, !%c", V<double>{1}, V<double>{2}, V<bool>{true}),
      ElementsAre(2.0));
  EXPECT_THAT(
      evaluate<uint16_t>("selp.u16 %d, %a, %b, %c", V<uint16_t>{1}, V<uint16_t>{2}, V<bool>{true}),
      ElementsAre(1));
  EXPECT_THAT(evaluate<uint32_t>("slct.u32.s32 %d, %a, %b, %c", V<uint32_t>{1, 1},
                                 V<uint32_t>{2, 2}, V<int32_t>{0, -1}),
              ElementsAre(1U, 2U));
  EXPECT_THAT(evaluate<uint64_t>("slct.b64.f32 %d, %a, %b, %c", V<uint64_t>{1, 1, 1},
                                 V<uint64_t>{2, 2, 2}, V<float>{-0.0F, kNan, -0x1p-149F}),
              ElementsAre(1U, 2U, 2U));
  EXPECT_THAT(evaluate<uint32_t>("slct.ftz.u32.f32 %d, %a, %b, %c", V<uint32_t>{1}, V<uint32_t>{2},
                                 V<float>{-0x1p-149F}),
              ElementsAre(1U));
}

TEST(CompareOps, RefusesWhatDoesNotExist) {
  const auto refusal = [](const std::string& code) {
    return error_of(".entry k() { .reg .b32 %r<4>; .reg .pred %p<4>; .reg .b16 %h<4>;\n" + code +
                    ";\n}")
        .message;
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal("setp.lt.b32 %p0, %r1, %r2"), HasSubstr("comparison"));
  EXPECT_THAT(refusal("setp.lo.s32 %p0, %r1, %r2"), HasSubstr("'.lo'"));
  EXPECT_THAT(refusal("setp.equ.u32 %p0, %r1, %r2"), HasSubstr("'.equ'"));
  EXPECT_THAT(refusal("setp.s32 %p0, %r1, %r2"), HasSubstr("comparison"));
  EXPECT_THAT(refusal("setp.lt.f16x2 %p0, %r1, %r2"), HasSubstr("two results"));
  EXPECT_THAT(refusal("setp.lt.and.s32 %p0, %r1, %r2"), HasSubstr("operands"));
  EXPECT_THAT(refusal("setp.eq.pred %p0, %p1, %p2"), HasSubstr("does not exist"));
}

}  // namespace
}  // namespace egpu::emu
