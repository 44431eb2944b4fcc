// IEEE arithmetic of f64, in all roundings, with NaNs, infinities and subnormal numbers.
#include "support/map.h"

using std::int32_t;
using std::uint32_t;
using std::uint64_t;

namespace {

// IEEE 754 leaves a NaN's payload open.
__device__ double canonical(double value) { return isnan(value) ? 1e300 * 1e10 : value; }

}  // namespace

CASE(add_rn) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(__dadd_rn(a, b)); }));
}
CASE(add_rz) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(__dadd_rz(a, b)); }));
}
CASE(add_ru) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(__dadd_ru(a, b)); }));
}
CASE(subtract_rd) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(__dsub_rd(a, b)); }));
}
CASE(multiply_rn) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(__dmul_rn(a, b)); }));
}
CASE(multiply_rz) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(__dmul_rz(a, b)); }));
}
CASE(multiply_ru) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(__dmul_ru(a, b)); }));
}
CASE(multiply_rd) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(__dmul_rd(a, b)); }));
}
CASE(fma_rn) {
  exact(map<double(double, double, double)>(
      [] __device__(double a, double b, double c) { return canonical(__fma_rn(a, b, c)); }));
}
CASE(fma_rz) {
  exact(map<double(double, double, double)>(
      [] __device__(double a, double b, double c) { return canonical(__fma_rz(a, b, c)); }));
}
CASE(fma_ru) {
  exact(map<double(double, double, double)>(
      [] __device__(double a, double b, double c) { return canonical(__fma_ru(a, b, c)); }));
}
CASE(fma_rd) {
  exact(map<double(double, double, double)>(
      [] __device__(double a, double b, double c) { return canonical(__fma_rd(a, b, c)); }));
}
CASE(divide_rn) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(__ddiv_rn(a, b)); }));
}
CASE(divide_rz) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(__ddiv_rz(a, b)); }));
}
CASE(divide_ru) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(__ddiv_ru(a, b)); }));
}
CASE(reciprocal_rn) {
  exact(map<double(double)>([] __device__(double a) { return canonical(__drcp_rn(a)); }));
}
CASE(reciprocal_rd) {
  exact(map<double(double)>([] __device__(double a) { return canonical(__drcp_rd(a)); }));
}
CASE(root_rn) {
  exact(map<double(double)>([] __device__(double a) { return canonical(__dsqrt_rn(a)); }));
}
CASE(root_rz) {
  exact(map<double(double)>([] __device__(double a) { return canonical(__dsqrt_rz(a)); }));
}
CASE(root_ru) {
  exact(map<double(double)>([] __device__(double a) { return canonical(__dsqrt_ru(a)); }));
}
CASE(minimum) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(fmin(a, b)); }));
}
CASE(maximum) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(fmax(a, b)); }));
}
CASE(signs) {
  exact(map<double(double, double)>([] __device__(double a, double b) {
    double result;
    asm("copysign.f64 %0, %1, %2;" : "=d"(result) : "d"(fabs(a)), "d"(-b));
    return canonical(result);
  }));
}
CASE(compare) {
  exact(map<uint32_t(double, double)>([] __device__(double a, double b) {
    return uint32_t(a < b) | (a <= b) << 1 | (a == b) << 2 | (a > b) << 3 | (a >= b) << 4 |
           (a != b) << 5 | !(a < b) << 6 | !(a >= b) << 7 | isunordered(a, b) << 8;
  }));
}
CASE(select_and_set) {
  exact(map<double(double, double, float)>([] __device__(double a, double b, float c) {
    double selected;
    float set;
    asm("slct.f64.f32 %0, %1, %2, %3;" : "=d"(selected) : "d"(a), "d"(b), "f"(c));
    asm("set.le.f32.f64 %0, %1, %2;" : "=f"(set) : "d"(a), "d"(b));
    return canonical(__dadd_rn(selected, set));
  }));
}
CASE(classify) {
  exact(map<uint32_t(double)>([] __device__(double a) {
    uint32_t bits = 0;
    asm("{ .reg .pred p;\n\t"
        "testp.finite.f64 p, %1;\n\t @p or.b32 %0, %0, 1;\n\t"
        "testp.infinite.f64 p, %1;\n\t @p or.b32 %0, %0, 2;\n\t"
        "testp.notanumber.f64 p, %1;\n\t @p or.b32 %0, %0, 4;\n\t"
        "testp.normal.f64 p, %1;\n\t @p or.b32 %0, %0, 8;\n\t"
        "testp.subnormal.f64 p, %1;\n\t @p or.b32 %0, %0, 16; }"
        : "+r"(bits)
        : "d"(a));
    return bits;
  }));
}
CASE(whole_numbers) {
  exact(map<double(double)>([] __device__(double a) {
    return canonical(__dadd_rn(__dadd_rn(floor(a), 2 * ceil(a)),
                               __dadd_rn(__dmul_rn(3, trunc(a)), __dmul_rn(5, rint(a)))));
  }));
}
CASE(floating_remainder) {
  exact(map<double(double, double)>(
      [] __device__(double a, double b) { return canonical(fmod(a, b)); }));
}
CASE(halves_of_a_number) {
  exact(map<double(uint32_t, uint32_t)>([] __device__(uint32_t a, uint32_t b) {
    const double whole = __hiloint2double(int(a), int(b));
    return __hiloint2double(__double2loint(whole), __double2hiint(whole));
  }));
}

// The GPU passes the payload of a NaN on.
CASE(nans_bit_by_bit) {
  exact(map<uint64_t(double, double, double)>([] __device__(double a, double b, double c) {
    return uint64_t(__double_as_longlong(__dadd_rn(a, b))) * 3 +
           uint64_t(__double_as_longlong(__fma_rn(a, b, c)));
  }));
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
