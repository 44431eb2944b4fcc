// IEEE arithmetic of f32, in all roundings, with NaNs, infinities and subnormal numbers.
#include "support/map.h"

using std::int32_t;
using std::uint32_t;

CASE(add_rn) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fadd_rn(a, b); }));
}
CASE(add_rz) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fadd_rz(a, b); }));
}
CASE(add_ru) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fadd_ru(a, b); }));
}
CASE(add_rd) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fadd_rd(a, b); }));
}
CASE(subtract_rn) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fsub_rn(a, b); }));
}
CASE(subtract_rd) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fsub_rd(a, b); }));
}
CASE(multiply_rn) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fmul_rn(a, b); }));
}
CASE(multiply_rz) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fmul_rz(a, b); }));
}
CASE(multiply_ru) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fmul_ru(a, b); }));
}
CASE(multiply_rd) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fmul_rd(a, b); }));
}
CASE(fma_rn) {
  exact(map<float(float, float, float)>(
      [] __device__(float a, float b, float c) { return __fmaf_rn(a, b, c); }));
}
CASE(fma_rz) {
  exact(map<float(float, float, float)>(
      [] __device__(float a, float b, float c) { return __fmaf_rz(a, b, c); }));
}
CASE(fma_ru) {
  exact(map<float(float, float, float)>(
      [] __device__(float a, float b, float c) { return __fmaf_ru(a, b, c); }));
}
CASE(fma_rd) {
  exact(map<float(float, float, float)>(
      [] __device__(float a, float b, float c) { return __fmaf_rd(a, b, c); }));
}
CASE(divide_rn) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fdiv_rn(a, b); }));
}
CASE(divide_rz) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fdiv_rz(a, b); }));
}
CASE(divide_ru) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fdiv_ru(a, b); }));
}
CASE(divide_rd) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return __fdiv_rd(a, b); }));
}
CASE(reciprocal_rn) {
  exact(map<float(float)>([] __device__(float a) { return __frcp_rn(a); }));
}
CASE(reciprocal_rz) {
  exact(map<float(float)>([] __device__(float a) { return __frcp_rz(a); }));
}
CASE(reciprocal_ru) {
  exact(map<float(float)>([] __device__(float a) { return __frcp_ru(a); }));
}
CASE(root_rn) {
  exact(map<float(float)>([] __device__(float a) { return __fsqrt_rn(a); }));
}
CASE(root_rz) {
  exact(map<float(float)>([] __device__(float a) { return __fsqrt_rz(a); }));
}
CASE(root_ru) {
  exact(map<float(float)>([] __device__(float a) { return __fsqrt_ru(a); }));
}
CASE(root_rd) {
  exact(map<float(float)>([] __device__(float a) { return __fsqrt_rd(a); }));
}

// Subnormal inputs and results become zeros.
CASE(add_ftz) {
  exact(map<float(float, float)>([] __device__(float a, float b) {
    float result;
    asm("add.rn.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }));
}
CASE(subtract_ftz) {
  exact(map<float(float, float)>([] __device__(float a, float b) {
    float result;
    asm("sub.rz.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }));
}
CASE(multiply_ftz) {
  exact(map<float(float, float)>([] __device__(float a, float b) {
    float result;
    asm("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }));
}
CASE(fma_ftz) {
  exact(map<float(float, float, float)>([] __device__(float a, float b, float c) {
    float result;
    asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(result) : "f"(a), "f"(b), "f"(c));
    return result;
  }));
}
CASE(divide_ftz) {
  exact(map<float(float, float)>([] __device__(float a, float b) {
    float result;
    asm("div.rn.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }));
}
CASE(reciprocal_ftz) {
  exact(map<float(float)>([] __device__(float a) {
    float result;
    asm("rcp.rn.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
    return result;
  }));
}
CASE(root_ftz) {
  exact(map<float(float)>([] __device__(float a) {
    float result;
    asm("sqrt.rn.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
    return result;
  }));
}
CASE(sign_ftz) {
  exact(map<float(float)>([] __device__(float a) {
    float positive, negative;
    asm("abs.ftz.f32 %0, %1;" : "=f"(positive) : "f"(a));
    asm("neg.ftz.f32 %0, %1;" : "=f"(negative) : "f"(a));
    // A NaN's sign and payload are not documented here.
    return isnan(a) ? 0.0f : __uint_as_float(__float_as_uint(positive) ^ __float_as_uint(negative));
  }));
}

CASE(saturate) {
  exact(map<float(float, float, float)>([] __device__(float a, float b, float c) {
    float sum, product, fused;
    asm("add.sat.f32 %0, %1, %2;" : "=f"(sum) : "f"(a), "f"(b));
    asm("mul.rz.sat.f32 %0, %1, %2;" : "=f"(product) : "f"(a), "f"(b));
    asm("fma.rn.ftz.sat.f32 %0, %1, %2, %3;" : "=f"(fused) : "f"(a), "f"(b), "f"(c));
    return __fadd_rn(__fadd_rn(sum, __saturatef(c)), __fadd_rn(product, fused));
  }));
}

CASE(minimum) {
  exact(map<float(float, float)>([] __device__(float a, float b) {
    float result;
    asm("min.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }));
}
CASE(maximum) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return fmaxf(a, b); }));
}
CASE(minimum_with_nans) {
  exact(map<float(float, float)>([] __device__(float a, float b) {
    float result;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }));
}
CASE(maximum_ftz) {
  exact(map<float(float, float)>([] __device__(float a, float b) {
    float result;
    asm("max.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }));
}
CASE(minimum_of_magnitudes) {
  exact(map<float(float, float)>([] __device__(float a, float b) {
    float result;
    asm("min.xorsign.abs.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }));
}
CASE(copy_sign) {
  exact(map<float(float, float)>([] __device__(float a, float b) {
    float result;
    asm("copysign.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }));
}

// All comparisons of numbers, then those that hold for NaNs too.
CASE(compare_ordered) {
  exact(map<uint32_t(float, float)>([] __device__(float a, float b) {
    return uint32_t(a < b) | (a <= b) << 1 | (a == b) << 2 | (a > b) << 3 | (a >= b) << 4;
  }));
}
CASE(compare_unordered) {
  exact(map<uint32_t(float, float)>([] __device__(float a, float b) {
    return uint32_t(!(a < b)) | !(a <= b) << 1 | (a != b) << 2 | !(a > b) << 3 | !(a >= b) << 4 |
           isunordered(a, b) << 5;
  }));
}
CASE(compare_by_name) {
  exact(map<uint32_t(float, float)>([] __device__(float a, float b) {
    uint32_t equ, neu, ltu, leu, gtu, geu, num, nan;
    asm("set.equ.u32.f32 %0, %1, %2;" : "=r"(equ) : "f"(a), "f"(b));
    asm("set.neu.u32.f32 %0, %1, %2;" : "=r"(neu) : "f"(a), "f"(b));
    asm("set.ltu.ftz.u32.f32 %0, %1, %2;" : "=r"(ltu) : "f"(a), "f"(b));
    asm("set.leu.u32.f32 %0, %1, %2;" : "=r"(leu) : "f"(a), "f"(b));
    asm("set.gtu.s32.f32 %0, %1, %2;" : "=r"(gtu) : "f"(a), "f"(b));
    asm("set.geu.u32.f32 %0, %1, %2;" : "=r"(geu) : "f"(a), "f"(b));
    asm("set.num.u32.f32 %0, %1, %2;" : "=r"(num) : "f"(a), "f"(b));
    asm("set.nan.u32.f32 %0, %1, %2;" : "=r"(nan) : "f"(a), "f"(b));
    return (equ & 1) | (neu & 2) | (ltu & 4) | (leu & 8) | (gtu & 16) | (geu & 32) | (num & 64) |
           (nan & 128);
  }));
}
CASE(set_numbers) {
  exact(map<float(float, float)>([] __device__(float a, float b) {
    float less, more;
    asm("set.lt.f32.f32 %0, %1, %2;" : "=f"(less) : "f"(a), "f"(b));
    asm("set.ge.f32.f32 %0, %1, %2;" : "=f"(more) : "f"(a), "f"(b));
    return less + 2 * more;
  }));
}
CASE(select_by_sign) {
  exact(map<uint32_t(uint32_t, uint32_t, float)>([] __device__(uint32_t a, uint32_t b, float c) {
    uint32_t by_float, by_integer;
    asm("slct.u32.f32 %0, %1, %2, %3;" : "=r"(by_float) : "r"(a), "r"(b), "f"(c));
    asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(by_integer) : "r"(b), "r"(a), "r"(a));
    return by_float ^ by_integer * 3;
  }));
}
CASE(classify) {
  exact(map<uint32_t(float)>([] __device__(float a) {
    uint32_t bits = 0;
    asm("{ .reg .pred p;\n\t"
        "testp.finite.f32 p, %1;\n\t @p or.b32 %0, %0, 1;\n\t"
        "testp.infinite.f32 p, %1;\n\t @p or.b32 %0, %0, 2;\n\t"
        "testp.number.f32 p, %1;\n\t @p or.b32 %0, %0, 4;\n\t"
        "testp.notanumber.f32 p, %1;\n\t @p or.b32 %0, %0, 8;\n\t"
        "testp.normal.f32 p, %1;\n\t @p or.b32 %0, %0, 16;\n\t"
        "testp.subnormal.f32 p, %1;\n\t @p or.b32 %0, %0, 32; }"
        : "+r"(bits)
        : "f"(a));
    return bits;
  }));
}

// Functions that need no approximation.
CASE(whole_numbers) {
  exact(map<float(float)>([] __device__(float a) {
    return __fadd_rn(__fadd_rn(floorf(a), 2 * ceilf(a)),
                     __fadd_rn(__fmul_rn(3, truncf(a)), __fmul_rn(5, rintf(a))));
  }));
}
CASE(round_half_away) {
  exact(map<float(float)>([] __device__(float a) { return roundf(a); }));
}
CASE(next_after) {
  exact(map<float(float, float)>(
      [] __device__(float a, float b) { return isnan(a) || isnan(b) ? 0.0f : nextafterf(a, b); }));
}
CASE(floating_remainder) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return fmodf(a, b); }));
}
CASE(ieee_remainder) {
  exact(map<float(float, float)>([] __device__(float a, float b) { return remainderf(a, b); }));
}
CASE(exponents) {
  exact(map<float(float, int32_t)>([] __device__(float a, int32_t b) {
    if (isnan(a)) return 0.0f;
    int exponent = 0;
    const float mantissa = frexpf(a, &exponent);
    return __fadd_rn(scalbnf(mantissa, b % 200),
                     isinf(a) || a == 0 ? 0.0f : float(exponent + ilogbf(a)));
  }));
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
