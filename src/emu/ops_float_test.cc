// PTX forms of floating-point operations: rounding, .ftz, .sat, NaNs, 16-bit and packed types.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include "emu/test_instruction.h"

namespace egpu::emu {
namespace {

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
template <class T>
using V = std::vector<T>;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr uint32_t kNanBits = 0x7fffffff;

template <class T>
V<T> numbers(unsigned seed) {
  V<T> result = {0,
                 -T{0},
                 1,
                 -1,
                 std::numeric_limits<T>::min(),
                 std::numeric_limits<T>::max(),
                 std::numeric_limits<T>::denorm_min(),
                 -std::numeric_limits<T>::denorm_min(),
                 std::numeric_limits<T>::infinity(),
                 -std::numeric_limits<T>::infinity(),
                 T{1} / 3,
                 -T{10} / 7};
  std::mt19937_64 random(seed);
  std::shuffle(result.begin(), result.end(), random);
  while (result.size() < 256) {
    const auto exponent = static_cast<int>(random() % 60) - 30;
    result.push_back(
        std::ldexp(static_cast<T>(static_cast<std::int64_t>(random())), exponent - 60));
  }
  return result;
}

struct Mode {
  const char* name;
  int host;
};
constexpr Mode kModes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

// What invalid operations give.
template <class T>
T invalid();
template <>
float invalid<float>() {
  return std::bit_cast<float>(kNanBits);
}
template <>
double invalid<double>() {
  return std::bit_cast<double>(uint64_t{0xfff8'0000'0000'0000});
}

// What the host gives in the mode, one operation at a time.
template <class T, class F>
V<T> on_host(int mode, const V<T>& a, const V<T>& b, const V<T>& c, F f) {
  V<T> result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const volatile T x = a[i];
    const volatile T y = b[i];
    const volatile T z = c[i];
    std::fesetround(mode);
    const volatile T value = f(x, y, z);
    std::fesetround(FE_TONEAREST);
    result.push_back(std::isnan(T{value}) ? invalid<T>() : T{value});
  }
  return result;
}

template <class T>
class RoundingTest : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(RoundingTest, Types);

TYPED_TEST(RoundingTest, EveryModeIsThatOfIeee) {
  using T = TypeParam;
  const V<T> a = numbers<T>(1);
  const V<T> b = numbers<T>(2);
  const V<T> c = numbers<T>(3);
  const std::string type = sizeof(T) == 4 ? "f32" : "f64";
  for (const Mode& mode : kModes) {
    const std::string suffix = std::string(".") + mode.name + "." + type + " %d, %a";
    SCOPED_TRACE(suffix);
    const auto expect = [&](const V<T>& results, auto f) {
      EXPECT_THAT(bits(results), ElementsAreArray(bits(on_host(mode.host, a, b, c, f))));
    };
    expect(evaluate<T>("add" + suffix + ", %b", a, b), [](T x, T y, T) { return x + y; });
    expect(evaluate<T>("sub" + suffix + ", %b", a, b), [](T x, T y, T) { return x - y; });
    expect(evaluate<T>("mul" + suffix + ", %b", a, b), [](T x, T y, T) { return x * y; });
    expect(evaluate<T>("div" + suffix + ", %b", a, b), [](T x, T y, T) { return x / y; });
    expect(evaluate<T>("fma" + suffix + ", %b, %c", a, b, c),
           [](T x, T y, T z) { return std::fma(x, y, z); });
    expect(evaluate<T>("rcp" + suffix, a), [](T x, T, T) { return 1 / x; });
    expect(evaluate<T>("sqrt" + suffix, a), [](T x, T, T) { return std::sqrt(x); });
  }
}

TEST(FloatOps, FlushesSubnormalSourcesAndResults) {
  const V<float> a = {0x1p-149F, -0x1p-127F, 0x1p-126F, 1};
  const V<float> b = {0x1p-149F, 0, -0x1.8p-126F, 0x1p-149F};
  EXPECT_THAT(bits(evaluate<float>("add.f32 %d, %a, %b", a, b)),
              ElementsAreArray(bits(V<float>{0x1p-148F, -0x1p-127F, -0x1p-127F, 1})));
  EXPECT_THAT(bits(evaluate<float>("add.ftz.f32 %d, %a, %b", a, b)),
              ElementsAreArray(bits(V<float>{0, 0, -0.0F, 1})));
  EXPECT_THAT(bits(evaluate<float>("mul.ftz.f32 %d, %a, 0f3F000000", a)),
              ElementsAreArray(bits(V<float>{0, -0.0F, 0, 0.5F})));
  EXPECT_THAT(bits(evaluate<float>("fma.rn.ftz.f32 %d, %a, %a, %b", a, b)),
              ElementsAreArray(bits(V<float>{0, 0, -0x1.8p-126F, 1})));
}

TEST(FloatOps, FlushesBeforeRounding) {
  const V<float> a = {0x1.fffffep-1F};
  const V<float> b = {0x1p-126F};
  EXPECT_THAT(evaluate<float>("mul.f32 %d, %a, %b", a, b), ElementsAre(0x1p-126F));
  EXPECT_THAT(evaluate<float>("mul.ftz.f32 %d, %a, %b", a, b), ElementsAre(0));
  EXPECT_THAT(evaluate<float>("fma.rn.ftz.f32 %d, %a, %b, 0f00000000", a, b), ElementsAre(0));
  const V<uint16_t> c = {0x3bff};
  const V<uint16_t> d = {0x0400};
  EXPECT_THAT(evaluate<uint16_t>("mul.f16 %d, %a, %b", c, d), ElementsAre(0x0400));
  EXPECT_THAT(evaluate<uint16_t>("mul.ftz.f16 %d, %a, %b", c, d), ElementsAre(0));
}

TEST(FloatOps, SaturatesToOne) {
  const V<float> a = {0.5F, 3, -1, kNan};
  EXPECT_THAT(evaluate<float>("add.sat.f32 %d, %a, 0f00000000", a), ElementsAre(0.5F, 1, 0, 0));
  EXPECT_THAT(evaluate<float>("mul.rz.sat.f32 %d, %a, 0f40000000", a), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(evaluate<float>("fma.rn.ftz.sat.f32 %d, %a, %a, %a", a), ElementsAre(0.75F, 1, 0, 0));
}

TEST(FloatOps, NanResultsAreThoseOfAGpu) {
  const V<float> a = {std::bit_cast<float>(0xffc12345U), kInf, 0};
  const V<float> b = {1, -kInf, kInf};
  EXPECT_EQ(bits(evaluate<float>("add.f32 %d, %a, %b", a, b))[0], kNanBits);
  EXPECT_EQ(bits(evaluate<float>("add.f32 %d, %a, %b", a, b))[1], kNanBits);
  EXPECT_EQ(bits(evaluate<float>("mul.f32 %d, %a, %b", a, b))[2], kNanBits);
  const V<double> c = {std::bit_cast<double>(uint64_t{0x7ff8'0000'0000'0123}), INFINITY};
  const V<double> d = {1, -INFINITY};
  EXPECT_THAT(bits(evaluate<double>("add.f64 %d, %a, %b", c, d)),
              ElementsAre(0x7ff8'0000'0000'0123U, 0xfff8'0000'0000'0000U));
  const V<double> e = {std::bit_cast<double>(uint64_t{0x7ff8'0000'0000'0456})};
  EXPECT_THAT(
      bits(evaluate<double>("fma.rn.f64 %d, 0d3FF0000000000000, %a, %b", V<double>{c.front()}, e)),
      ElementsAre(0x7ff8'0000'0000'0456U));
}

TEST(FloatOps, SignsAndExtremes) {
  const V<float> a = {-0.0F, 3, kNan, -kInf};
  const V<float> b = {0.0F, -5, 1, kNan};
  EXPECT_THAT(bits(evaluate<float>("neg.f32 %d, %a", a)),
              ElementsAre(0U, 0xc0400000U, kNanBits, 0x7f800000U));
  EXPECT_THAT(bits(evaluate<float>("abs.ftz.f32 %d, %a", a)),
              ElementsAre(0U, 0x40400000U, kNanBits, 0x7f800000U));
  EXPECT_THAT(bits(evaluate<float>("min.f32 %d, %a, %b", a, b)),
              ElementsAreArray(bits(V<float>{-0.0F, -5, 1, -kInf})));
  EXPECT_THAT(bits(evaluate<float>("max.f32 %d, %a, %b", a, b)),
              ElementsAreArray(bits(V<float>{0, 3, 1, -kInf})));
  EXPECT_THAT(bits(evaluate<float>("max.NaN.f32 %d, %a, %b", a, b)),
              ElementsAre(0U, 0x40400000U, kNanBits, kNanBits));
  EXPECT_THAT(bits(evaluate<float>("min.xorsign.abs.f32 %d, %a, %b", a, b)),
              ElementsAreArray(bits(V<float>{-0.0F, -3, 1, -kInf})));
  EXPECT_THAT(
      evaluate<float>("min.f32 %d, %a, %b, %c", V<float>{3, 1}, V<float>{2, kNan}, V<float>{5, -4}),
      ElementsAre(2, -4));
  EXPECT_THAT(evaluate<float>("max.abs.f32 %d, %a, %b, %c", V<float>{3}, V<float>{-7}, V<float>{5}),
              ElementsAre(7));
  EXPECT_THAT(evaluate<double>("min.f64 %d, %a, %b", V<double>{2, NAN}, V<double>{-1, 3}),
              ElementsAre(-1, 3));
  EXPECT_THAT(evaluate<float>("copysign.f32 %d, %a, %b", V<float>{-1}, V<float>{7}),
              ElementsAre(-7));
}

TEST(FloatOps, TestsForClasses) {
  const V<float> a = {1, kInf, kNan, 0x1p-149F};
  EXPECT_THAT(evaluate<bool>("testp.finite.f32 %d, %a", a), ElementsAre(true, false, false, true));
  EXPECT_THAT(evaluate<bool>("testp.infinite.f32 %d, %a", a),
              ElementsAre(false, true, false, false));
  EXPECT_THAT(evaluate<bool>("testp.notanumber.f32 %d, %a", a),
              ElementsAre(false, false, true, false));
  EXPECT_THAT(evaluate<bool>("testp.number.f32 %d, %a", a), ElementsAre(true, true, false, true));
  EXPECT_THAT(evaluate<bool>("testp.normal.f32 %d, %a", a), ElementsAre(true, false, false, false));
  EXPECT_THAT(evaluate<bool>("testp.subnormal.f64 %d, %a", V<double>{5e-324, 1}),
              ElementsAre(true, false));
}

// f16: 1 = 3c00, 2 = 4000, 3 = 4200, -1 = bc00, 0.5 = 3800, inf = 7c00. bf16: 1 = 3f80, 3 = 4040.
TEST(FloatOps, HalvesRoundOnce) {
  EXPECT_THAT(evaluate<uint16_t>("add.f16 %d, %a, %b", V<uint16_t>{0x3c00, 0x7c00, 0x7bff},
                                 V<uint16_t>{0x4000, 0xfc00, 0x7bff}),
              ElementsAre(0x4200, 0x7fff, 0x7c00));
  EXPECT_THAT(evaluate<uint16_t>("sub.f16 %d, %a, %b", V<uint16_t>{0x3c00}, V<uint16_t>{0x4000}),
              ElementsAre(0xbc00));
  EXPECT_THAT(evaluate<uint16_t>("mul.sat.f16 %d, %a, %b", V<uint16_t>{0x4000, 0xbc00, 0x3800},
                                 V<uint16_t>{0x4000, 0x3c00, 0x3c00}),
              ElementsAre(0x3c00, 0, 0x3800));
  EXPECT_THAT(evaluate<uint16_t>("mul.ftz.f16 %d, %a, %b", V<uint16_t>{0x03ff, 0x0400},
                                 V<uint16_t>{0x4000, 0x3800}),
              ElementsAre(0, 0));
  EXPECT_THAT(evaluate<uint16_t>("mul.f16 %d, %a, %b", V<uint16_t>{0x03ff, 0x0400},
                                 V<uint16_t>{0x4000, 0x3800}),
              ElementsAre(0x07fe, 0x0200));
  // (1 + 2^-9)^2 - 1 = 2^-8 + 2^-18: a product rounded first would lose the last term.
  EXPECT_THAT(evaluate<uint16_t>("fma.rn.f16 %d, %a, %b, %c", V<uint16_t>{0x3c02},
                                 V<uint16_t>{0x3c02}, V<uint16_t>{0xbc00}),
              ElementsAre(0x1c01));
  EXPECT_THAT(evaluate<uint16_t>("fma.rn.relu.f16 %d, %a, %b, %c", V<uint16_t>{0x3c00, 0x3c00},
                                 V<uint16_t>{0xbc00, 0x3c00}, V<uint16_t>{0, 0}),
              ElementsAre(0, 0x3c00));
  EXPECT_THAT(evaluate<uint16_t>("add.bf16 %d, %a, %b", V<uint16_t>{0x3f80}, V<uint16_t>{0x4000}),
              ElementsAre(0x4040));
  EXPECT_THAT(evaluate<uint16_t>("neg.bf16 %d, %a", V<uint16_t>{0x3f80, 0xffc0}),
              ElementsAre(0xbf80, 0x7fff));
  EXPECT_THAT(evaluate<uint16_t>("max.NaN.f16 %d, %a, %b", V<uint16_t>{0x3c00, 0x7e00},
                                 V<uint16_t>{0x4000, 0x3c00}),
              ElementsAre(0x4000, 0x7fff));
}

TEST(FloatOps, PairsAreTwoOfThem) {
  EXPECT_THAT(
      evaluate<uint32_t>("add.f16x2 %d, %a, %b", V<uint32_t>{0x3c004000}, V<uint32_t>{0x40003c00}),
      ElementsAre(0x42004200U));
  EXPECT_THAT(evaluate<uint32_t>("fma.rn.f16x2 %d, %a, %b, %c", V<uint32_t>{0x3c004000},
                                 V<uint32_t>{0x40003c00}, V<uint32_t>{0x3c000000}),
              ElementsAre(0x42004000U));
  EXPECT_THAT(evaluate<uint32_t>("fma.rn.relu.bf16x2 %d, %a, %b, %c", V<uint32_t>{0x3f80bf80},
                                 V<uint32_t>{0x3f803f80}, V<uint32_t>{0x00000000}),
              ElementsAre(0x3f800000U));
  EXPECT_THAT(
      evaluate<uint32_t>("min.f16x2 %d, %a, %b", V<uint32_t>{0x3c004000}, V<uint32_t>{0x40003c00}),
      ElementsAre(0x3c003c00U));
  EXPECT_THAT(evaluate<uint32_t>("abs.f16x2 %d, %a", V<uint32_t>{0xbc004000}),
              ElementsAre(0x3c004000U));
  const auto pair = [](float low, float high) {
    return uint64_t{std::bit_cast<uint32_t>(high)} << 32 | std::bit_cast<uint32_t>(low);
  };
  EXPECT_THAT(evaluate<uint64_t>("add.rn.f32x2 %d, %a, %b", V<uint64_t>{pair(1, 2)},
                                 V<uint64_t>{pair(3, -5)}),
              ElementsAre(pair(4, -3)));
  EXPECT_THAT(evaluate<uint64_t>("fma.rz.ftz.f32x2 %d, %a, %b, %c", V<uint64_t>{pair(1, 0x1p-140F)},
                                 V<uint64_t>{pair(3, -5)}, V<uint64_t>{pair(1, 9)}),
              ElementsAre(pair(4, 9)));
}

TEST(FloatOps, MixedFormsAddInSinglePrecision) {
  EXPECT_THAT(evaluate<float>("add.f32.f16 %d, %a, %b", V<uint16_t>{0x3c01}, V<float>{0x1p-20F}),
              ElementsAre(1 + 0x1p-10F + 0x1p-20F));
  EXPECT_THAT(evaluate<float>("fma.rn.f32.bf16 %d, %a, %b, %c", V<uint16_t>{0x3f80},
                              V<uint16_t>{0x4040}, V<float>{0.25F}),
              ElementsAre(3.25F));
}

// Relative errors; the bounds are those of the PTX manual.
TEST(FloatOps, ApproximationsKeepTheirBounds) {
  V<float> a;
  for (int i = 1; i < 1000; ++i) a.push_back(static_cast<float>(i) * 0.01F);
  const auto worst = [&](const std::string& code, auto f, bool relative) {
    const V<float> results = evaluate<float>(code + " %d, %a", a);
    double error = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double exact = f(static_cast<double>(a[i]));
      const double difference = std::abs(results[i] - exact);
      error = std::max(error, relative ? difference / std::abs(exact) : difference);
    }
    return error;
  };
  EXPECT_LT(worst("rcp.approx.ftz.f32", [](double x) { return 1 / x; }, true), 0x1p-23);
  EXPECT_LT(worst("sqrt.approx.f32", [](double x) { return std::sqrt(x); }, true), 0x1p-23);
  EXPECT_LT(
      worst("rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }, true), std::exp2(-22.9));
  EXPECT_LT(
      worst("ex2.approx.ftz.f32", [](double x) { return std::exp2(x); }, true), std::exp2(-22.5));
  EXPECT_LT(worst("lg2.approx.f32", [](double x) { return std::log2(x); }, false), 0x1p-22);
  EXPECT_LT(worst("sin.approx.f32", [](double x) { return std::sin(x); }, false), std::exp2(-20.5));
  EXPECT_LT(worst("cos.approx.f32", [](double x) { return std::cos(x); }, false), std::exp2(-20.5));
  EXPECT_LT(worst("tanh.approx.f32", [](double x) { return std::tanh(x); }, true), 0x1p-11);
}

TEST(FloatOps, ApproximationsOfSpecialValues) {
  const V<float> a = {0, -0.0F, kInf, -kInf, kNan, -1};
  EXPECT_THAT(
      bits(evaluate<float>("rcp.approx.f32 %d, %a", a)),
      ElementsAreArray(bits(V<float>{kInf, -kInf, 0, -0.0F, std::bit_cast<float>(kNanBits), -1})));
  EXPECT_THAT(bits(evaluate<float>("rsqrt.approx.f32 %d, %a", a)),
              ElementsAre(0x7f800000U, 0xff800000U, 0U, kNanBits, kNanBits, kNanBits));
  EXPECT_THAT(bits(evaluate<float>("lg2.approx.f32 %d, %a", a)),
              ElementsAre(0xff800000U, 0xff800000U, 0x7f800000U, kNanBits, kNanBits, kNanBits));
  EXPECT_THAT(
      bits(evaluate<float>("ex2.approx.f32 %d, %a", a)),
      ElementsAreArray(bits(V<float>{1, 1, kInf, 0, std::bit_cast<float>(kNanBits), 0.5F})));
  EXPECT_THAT(bits(evaluate<float>("sin.approx.f32 %d, %a", a))[2], kNanBits);
  EXPECT_THAT(bits(evaluate<float>("sin.approx.f32 %d, %a", a))[1], 0x80000000U);
  EXPECT_THAT(
      evaluate<float>("div.approx.f32 %d, %a, %b", V<float>{6, 0x1p100F}, V<float>{3, 0x1.8p126F}),
      ElementsAre(2, 0));
  EXPECT_THAT(
      evaluate<float>("div.full.f32 %d, %a, %b", V<float>{6, 0x1p100F}, V<float>{3, 0x1.8p126F}),
      ElementsAre(2, 0x1p100F / 0x1.8p126F));
  EXPECT_THAT(evaluate<double>("rcp.approx.ftz.f64 %d, %a", V<double>{4.0, 3.0}),
              ElementsAre(0.25, std::bit_cast<double>(uint64_t{0x3fd55555} << 32)));
  EXPECT_THAT(evaluate<double>("rsqrt.approx.f64 %d, %a", V<double>{4.0}), ElementsAre(0.5));
  EXPECT_THAT(evaluate<uint32_t>("ex2.approx.f16x2 %d, %a", V<uint32_t>{0x3c00c000}),
              ElementsAre(0x40003400U));
  EXPECT_THAT(evaluate<uint16_t>("ex2.approx.ftz.bf16 %d, %a", V<uint16_t>{0x3f80}),
              ElementsAre(0x4000));
  EXPECT_THAT(evaluate<uint16_t>("tanh.approx.f16 %d, %a", V<uint16_t>{0x7c00, 0}),
              ElementsAre(0x3c00, 0));
}

TEST(FloatOps, RefusesWhatDoesNotExist) {
  const auto refusal = [](const std::string& code) {
    return error_of(".entry k() { .reg .f32 %f<4>; .reg .f64 %q<4>; .reg .b16 %h<4>;\n" + code +
                    ";\n}")
        .message;
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal("add.ftz.f64 %q0, %q1, %q2"), HasSubstr("does not exist"));
  EXPECT_THAT(refusal("add.rz.f16 %h0, %h1, %h2"), HasSubstr("nearest"));
  EXPECT_THAT(refusal("fma.rn.oob.f16 %h0, %h1, %h2, %h3"), HasSubstr("'.oob'"));
  EXPECT_THAT(refusal("min.NaN.f64 %q0, %q1, %q2"), HasSubstr(".f64"));
  EXPECT_THAT(refusal("sin.approx.f64 %q0, %q1"), HasSubstr("does not exist"));
  EXPECT_THAT(refusal("add.relu.f32 %f0, %f1, %f2"), HasSubstr("does not exist"));
}

}  // namespace
}  // namespace egpu::emu
