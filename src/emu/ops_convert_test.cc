#include <cmath>
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
using ::testing::ElementsAreArray;
template <class T>
using V = std::vector<T>;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(ConvertOps, IntegersExtendAndCut) {
  EXPECT_THAT(evaluate<uint64_t>("cvt.u64.u32 %d, %a", V<uint32_t>{0xffffffff}),
              ElementsAre(0xffffffffU));
  EXPECT_THAT(evaluate<int64_t>("cvt.s64.s32 %d, %a", V<uint32_t>{0xffffffff}), ElementsAre(-1));
  EXPECT_THAT(evaluate<uint32_t>("cvt.u32.u64 %d, %a", V<uint64_t>{0x1'2345'6789}),
              ElementsAre(0x23456789U));
  EXPECT_THAT(evaluate<int32_t>("cvt.s32.s16 %d, %a", V<uint16_t>{0x8001}), ElementsAre(-32767));
  EXPECT_THAT(evaluate<uint32_t>("cvt.u32.u16 %d, %a", V<uint16_t>{0x8001}), ElementsAre(0x8001U));
  EXPECT_THAT(evaluate<uint16_t>("cvt.u16.u32 %d, %a", V<uint32_t>{0x12345678}),
              ElementsAre(0x5678));
}

TEST(ConvertOps, RegistersMayBeWiderThanTypes) {
  // 8-bit types live in wider registers; results are extended by their own type.
  EXPECT_THAT(evaluate<uint32_t>("cvt.s32.s8 %d, %a", V<uint32_t>{0x1280}),
              ElementsAre(0xffffff80U));
  EXPECT_THAT(evaluate<uint32_t>("cvt.u32.u8 %d, %a", V<uint16_t>{0x1280}), ElementsAre(0x80U));
  EXPECT_THAT(evaluate<uint32_t>("cvt.s8.s32 %d, %a", V<uint32_t>{0x1280}),
              ElementsAre(0xffffff80U));
  EXPECT_THAT(evaluate<uint32_t>("cvt.u8.s32 %d, %a", V<uint32_t>{0x1280}), ElementsAre(0x80U));
  EXPECT_THAT(evaluate<uint16_t>("cvt.s16.s8 %d, %a", V<uint32_t>{0x1280}), ElementsAre(0xff80));
  EXPECT_THAT(evaluate<uint64_t>("cvt.s16.s64 %d, %a", V<uint64_t>{0x18000}),
              ElementsAre(0xffff'ffff'ffff'8000U));
  EXPECT_THAT(evaluate<uint64_t>("cvt.u32.s64 %d, %a", V<uint64_t>{0x1'ffff'ffff}),
              ElementsAre(0xffffffffU));
  EXPECT_THAT(evaluate<uint32_t>("cvt.u16.u16 %d, %a", V<uint64_t>{0x12345678}),
              ElementsAre(0x5678U));
  EXPECT_THAT(evaluate<uint32_t>("cvt.s16.u16 %d, %a", V<uint32_t>{0x18000}),
              ElementsAre(0xffff8000U));
  EXPECT_THAT(evaluate<float>("cvt.rn.f32.u16 %d, %a", V<uint32_t>{0x10003}), ElementsAre(3));
  EXPECT_THAT(evaluate<uint32_t>("cvt.rn.f16.f32 %d, %a", V<float>{-1}), ElementsAre(0xbc00U));
  EXPECT_THAT(evaluate<uint32_t>("cvt.rzi.s8.f32 %d, %a", V<float>{-3}), ElementsAre(0xfffffffdU));
}

TEST(ConvertOps, IntegersSaturate) {
  EXPECT_THAT(evaluate<uint32_t>("cvt.sat.u8.s32 %d, %a", V<int32_t>{-5, 77, 300}),
              ElementsAre(0U, 77U, 255U));
  EXPECT_THAT(evaluate<int32_t>("cvt.sat.s8.s32 %d, %a", V<int32_t>{-500, 77, 300}),
              ElementsAre(-128, 77, 127));
  EXPECT_THAT(evaluate<int32_t>("cvt.sat.s32.u32 %d, %a", V<uint32_t>{0xffffffff, 7}),
              ElementsAre(0x7fffffff, 7));
  EXPECT_THAT(evaluate<uint32_t>("cvt.sat.u32.s64 %d, %a", V<int64_t>{-1, int64_t{1} << 40}),
              ElementsAre(0U, 0xffffffffU));
}

TEST(ConvertOps, FloatsRoundToIntegers) {
  const V<float> a = {2.5F, 3.5F, -2.5F, -0.4F, 1e10F, kNan};
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  EXPECT_THAT(evaluate<int32_t>("cvt.rni.s32.f32 %d, %a", a), ElementsAre(2, 4, -2, 0, kMost, 0));
  EXPECT_THAT(evaluate<int32_t>("cvt.rzi.s32.f32 %d, %a", a), ElementsAre(2, 3, -2, 0, kMost, 0));
  EXPECT_THAT(evaluate<int32_t>("cvt.rmi.s32.f32 %d, %a", a), ElementsAre(2, 3, -3, -1, kMost, 0));
  EXPECT_THAT(evaluate<int32_t>("cvt.rpi.s32.f32 %d, %a", a), ElementsAre(3, 4, -2, 0, kMost, 0));
  EXPECT_THAT(evaluate<uint32_t>("cvt.rni.u32.f32 %d, %a", a),
              ElementsAre(2U, 4U, 0U, 0U, 0xffffffffU, 0U));
  EXPECT_THAT(evaluate<int32_t>("cvt.rpi.ftz.s32.f32 %d, %a", V<float>{0x1p-149F}), ElementsAre(0));
  EXPECT_THAT(evaluate<int32_t>("cvt.rpi.s32.f32 %d, %a", V<float>{0x1p-149F}), ElementsAre(1));
  EXPECT_THAT(evaluate<uint64_t>("cvt.rzi.u64.f64 %d, %a", V<double>{1e19, -1, NAN}),
              ElementsAre(10'000'000'000'000'000'000U, 0U, uint64_t{1} << 63));
  EXPECT_THAT(evaluate<int64_t>("cvt.rzi.s64.f32 %d, %a", V<float>{-1e10F}),
              ElementsAre(-10'000'000'000));
  EXPECT_THAT(evaluate<int32_t>("cvt.rzi.s32.f64 %d, %a", V<double>{NAN}),
              ElementsAre(std::numeric_limits<int32_t>::min()));
  EXPECT_THAT(evaluate<int16_t>("cvt.rni.s16.f16 %d, %a", V<uint16_t>{0x4100, 0x7c00, 0x7e00}),
              ElementsAre(2, 32767, 0));
  EXPECT_THAT(evaluate<uint32_t>("cvt.rzi.u32.bf16 %d, %a", V<uint16_t>{0x4049}), ElementsAre(3U));
}

TEST(ConvertOps, IntegersRoundToFloats) {
  const V<int32_t> a = {16777217, -16777217, 16777219};
  EXPECT_THAT(evaluate<float>("cvt.rn.f32.s32 %d, %a", a),
              ElementsAre(16777216, -16777216, 16777220));
  EXPECT_THAT(evaluate<float>("cvt.rz.f32.s32 %d, %a", a),
              ElementsAre(16777216, -16777216, 16777218));
  EXPECT_THAT(evaluate<float>("cvt.rm.f32.s32 %d, %a", a),
              ElementsAre(16777216, -16777218, 16777218));
  EXPECT_THAT(evaluate<float>("cvt.rp.f32.s32 %d, %a", a),
              ElementsAre(16777218, -16777216, 16777220));
  EXPECT_THAT(evaluate<float>("cvt.rn.f32.u32 %d, %a", V<uint32_t>{0xffffffff}),
              ElementsAre(0x1p32F));
  EXPECT_THAT(evaluate<double>("cvt.rn.f64.s32 %d, %a", a),
              ElementsAre(16777217, -16777217, 16777219));
  EXPECT_THAT(evaluate<double>("cvt.rp.f64.u64 %d, %a", V<uint64_t>{(uint64_t{1} << 53) + 1}),
              ElementsAre(0x1.0000000000001p53));
  EXPECT_THAT(evaluate<double>("cvt.rn.f64.u64 %d, %a", V<uint64_t>{~uint64_t{0}}),
              ElementsAre(0x1p64));
  EXPECT_THAT(evaluate<float>("cvt.rn.f32.s64 %d, %a",
                              V<int64_t>{(int64_t{1} << 60) + (int64_t{1} << 36) + 1}),
              ElementsAre(0x1.000002p60F));
  EXPECT_THAT(evaluate<float>("cvt.rn.sat.f32.s32 %d, %a", V<int32_t>{-5, 0, 1, 5}),
              ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(evaluate<uint16_t>("cvt.rn.f16.s32 %d, %a", V<int32_t>{2049, 70000, -1}),
              ElementsAre(0x6800, 0x7c00, 0xbc00));
  EXPECT_THAT(evaluate<uint16_t>("cvt.rz.f16.u64 %d, %a", V<uint64_t>{70000}), ElementsAre(0x7bff));
  EXPECT_THAT(evaluate<uint16_t>("cvt.rn.bf16.s16 %d, %a", V<int16_t>{257}), ElementsAre(0x4380));
  EXPECT_THAT(evaluate<float>("cvt.rn.f32.s8 %d, %a", V<uint16_t>{0x1ff}), ElementsAre(-1));
}

TEST(ConvertOps, FloatsWidenAndNarrow) {
  const V<double> a = {1 + 0x1p-24, -(1 + 0x1p-24), 1e300, 0x1p-149, NAN};
  const auto narrowed = [&](const std::string& mode) {
    return bits(evaluate<float>("cvt." + mode + ".f32.f64 %d, %a", a));
  };
  const float nan = std::bit_cast<float>(0x7fc00000U);
  EXPECT_THAT(narrowed("rn"), ElementsAreArray(bits(V<float>{1, -1, kInf, 0x1p-149F, nan})));
  EXPECT_THAT(narrowed("rz"),
              ElementsAreArray(bits(V<float>{1, -1, 0x1.fffffep127F, 0x1p-149F, nan})));
  EXPECT_THAT(narrowed("rp"),
              ElementsAreArray(bits(V<float>{1 + 0x1p-23F, -1, kInf, 0x1p-149F, nan})));
  EXPECT_THAT(narrowed("rm"),
              ElementsAreArray(bits(V<float>{1, -1 - 0x1p-23F, 0x1.fffffep127F, 0x1p-149F, nan})));
  EXPECT_THAT(narrowed("rn.ftz"), ElementsAreArray(bits(V<float>{1, -1, kInf, 0, nan})));
  EXPECT_THAT(narrowed("rn.sat"), ElementsAreArray(bits(V<float>{1, 0, 1, 0x1p-149F, 0})));
  EXPECT_THAT(evaluate<double>("cvt.f64.f32 %d, %a", V<float>{0x1p-149F, -1.5F}),
              ElementsAre(0x1p-149, -1.5));
  EXPECT_THAT(evaluate<double>("cvt.ftz.f64.f32 %d, %a", V<float>{0x1p-149F}), ElementsAre(0.0));
  EXPECT_THAT(evaluate<float>("cvt.sat.f32.f32 %d, %a", V<float>{-1, 0.25F, 7, kNan}),
              ElementsAre(0, 0.25F, 1, 0));
  EXPECT_THAT(evaluate<float>("cvt.rni.f32.f32 %d, %a", V<float>{2.5F, -0.5F, kInf}),
              ElementsAre(2, -0.0F, kInf));
  EXPECT_THAT(evaluate<double>("cvt.rmi.f64.f64 %d, %a", V<double>{-2.5}), ElementsAre(-3));
}

TEST(ConvertOps, SmallFloatsWidenAndNarrow) {
  EXPECT_THAT(
      bits(evaluate<float>("cvt.f32.f16 %d, %a", V<uint16_t>{0x3c01, 0x0001, 0xfe00})),
      ElementsAreArray(bits(V<float>{1 + 0x1p-10F, 0x1p-24F, std::bit_cast<float>(0x7fffffffU)})));
  EXPECT_THAT(bits(evaluate<float>("cvt.f32.bf16 %d, %a", V<uint16_t>{0x3f81, 0xffc1})),
              ElementsAre(0x3f810000U, 0xffc10000U));
  const V<float> a = {1 + 0x1.8p-11F, 65520, kNan, -0x1p-25F};
  EXPECT_THAT(evaluate<uint16_t>("cvt.rn.f16.f32 %d, %a", a),
              ElementsAre(0x3c01, 0x7c00, 0x7fff, 0x8000));
  EXPECT_THAT(evaluate<uint16_t>("cvt.rz.f16.f32 %d, %a", a),
              ElementsAre(0x3c00, 0x7bff, 0x7fff, 0x8000));
  EXPECT_THAT(evaluate<uint16_t>("cvt.rm.f16.f32 %d, %a", a),
              ElementsAre(0x3c00, 0x7bff, 0x7fff, 0x8001));
  EXPECT_THAT(evaluate<uint16_t>("cvt.rn.relu.bf16.f32 %d, %a", V<float>{-1, 1, kNan}),
              ElementsAre(0, 0x3f80, 0x7fff));
  EXPECT_THAT(evaluate<uint16_t>("cvt.rz.bf16.f32 %d, %a", V<float>{1 + 0x1.fp-8F}),
              ElementsAre(0x3f80));
  // NaNs of double precision stay what they are, as far as there is room.
  const V<double> nan = {std::bit_cast<double>(uint64_t{0xfff8'4000'0000'0003})};
  EXPECT_THAT(bits(evaluate<float>("cvt.rn.f32.f64 %d, %a", nan)), ElementsAre(0xffc2'0000U));
  EXPECT_THAT(evaluate<uint16_t>("cvt.rn.f16.f64 %d, %a", nan), ElementsAre(0xfe10));
  // Just over a tie of f16, by less than single precision can tell.
  EXPECT_THAT(
      evaluate<uint16_t>("cvt.rn.f16.f64 %d, %a", V<double>{1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-40}),
      ElementsAre(0x3c00, 0x3c01));
  EXPECT_THAT(evaluate<double>("cvt.f64.f16 %d, %a", V<uint16_t>{0x3c01}),
              ElementsAre(1 + 0x1p-10));
  EXPECT_THAT(evaluate<uint16_t>("cvt.rn.bf16.f16 %d, %a", V<uint16_t>{0x3c01}),
              ElementsAre(0x3f80));
  EXPECT_THAT(evaluate<uint16_t>("cvt.rpi.f16.f16 %d, %a", V<uint16_t>{0x3c01}),
              ElementsAre(0x4000));
}

TEST(ConvertOps, PairsTakeTheHighHalfFirst) {
  EXPECT_THAT(evaluate<uint32_t>("cvt.rn.f16x2.f32 %d, %a, %b", V<float>{1}, V<float>{-2}),
              ElementsAre(0x3c00c000U));
  EXPECT_THAT(evaluate<uint32_t>("cvt.rn.relu.bf16x2.f32 %d, %a, %b", V<float>{1}, V<float>{-2}),
              ElementsAre(0x3f800000U));
  EXPECT_THAT(
      evaluate<uint32_t>("cvt.rz.satfinite.f16x2.f32 %d, %a, %b", V<float>{1e9F}, V<float>{kInf}),
      ElementsAre(0x7bff7bffU));
  EXPECT_THAT(
      evaluate<uint16_t>("cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b", V<float>{1}, V<float>{-1000}),
      ElementsAre(0x38fe));
  EXPECT_THAT(
      evaluate<uint16_t>("cvt.rn.satfinite.e5m2x2.f32 %d, %a, %b", V<float>{1}, V<float>{kNan}),
      ElementsAre(0x3c7f));
  EXPECT_THAT(
      evaluate<uint16_t>("cvt.rn.satfinite.relu.e4m3x2.f16x2 %d, %a", V<uint32_t>{0x3c00bc00}),
      ElementsAre(0x3800));
  EXPECT_THAT(evaluate<uint32_t>("cvt.rn.f16x2.e4m3x2 %d, %a", V<uint16_t>{0x38fe}),
              ElementsAre(0x3c00df00U));
  EXPECT_THAT(evaluate<uint32_t>("cvt.rn.f16x2.e5m2x2 %d, %a", V<uint16_t>{0x3c7c}),
              ElementsAre(0x3c007c00U));
  EXPECT_THAT(evaluate<uint32_t>("cvt.rna.tf32.f32 %d, %a", V<float>{1 + 0x1p-11F, -1 - 0x1p-12F}),
              ElementsAre(0x3f802000U, 0xbf800000U));
  EXPECT_THAT(evaluate<uint32_t>("cvt.rna.tf32.f32 %d, %a",
                                 V<float>{std::bit_cast<float>(uint32_t{0xffc1'2345})}),
              ElementsAre(0xffc1'2000U));
  EXPECT_THAT(evaluate<uint32_t>("cvt.rn.tf32.f32 %d, %a", V<float>{1 + 0x1p-11F}),
              ElementsAre(0x3f800000U));
}

TEST(ConvertOps, PacksClampedIntegers) {
  EXPECT_THAT(
      evaluate<uint32_t>("cvt.pack.sat.u16.s32 %d, %a, %b", V<int32_t>{70000}, V<int32_t>{-1}),
      ElementsAre(0xffff0000U));
  EXPECT_THAT(
      evaluate<uint32_t>("cvt.pack.sat.s16.s32 %d, %a, %b", V<int32_t>{-70000}, V<int32_t>{-1}),
      ElementsAre(0x8000ffffU));
  EXPECT_THAT(evaluate<uint32_t>("cvt.pack.sat.s8.s32.b32 %d, %a, %b, %c", V<int32_t>{200},
                                 V<int32_t>{-3}, V<uint32_t>{0x1234abcd}),
              ElementsAre(0xabcd7ffdU));
}

TEST(ConvertOps, RefusesWhatDoesNotExist) {
  const auto refusal = [](const std::string& code) {
    return error_of(".entry k() { .reg .b32 %r<4>; .reg .f64 %q<4>; .reg .b16 %h<4>;\n" + code +
                    ";\n}")
        .message;
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal("cvt.s32.f32 %r0, %r1"), HasSubstr("needs .rni"));
  EXPECT_THAT(refusal("cvt.f32.s32 %r0, %r1"), HasSubstr("needs .rn"));
  EXPECT_THAT(refusal("cvt.f32.f64 %r0, %q1"), HasSubstr("needs .rn"));
  EXPECT_THAT(refusal("cvt.rn.f64.f32 %q0, %r1"), HasSubstr("as wide"));
  EXPECT_THAT(refusal("cvt.rn.s32.u32 %r0, %r1"), HasSubstr("integers"));
  EXPECT_THAT(refusal("cvt.b32.u32 %r0, %r1"), HasSubstr("does not exist"));
  EXPECT_THAT(refusal("cvt.rn.e4m3x2.f32 %h0, %r1, %r2"), HasSubstr(".satfinite"));
  EXPECT_THAT(refusal("cvt.rs.f16x2.f32 %r0, %r1, %r2, %r3"), HasSubstr("'.rs'"));
  EXPECT_THAT(refusal("cvt.rn.satfinite.e2m1x2.f32 %h0, %r1, %r2"),
              HasSubstr("no type that is known"));
}

}  // namespace
}  // namespace egpu::emu
