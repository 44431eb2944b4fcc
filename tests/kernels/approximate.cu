// Instructions that PTX defines up to an error. The bounds are those of the PTX ISA, sections
// "Floating Point Instructions" and "Half Precision Floating-Point Instructions"; where it gives
// none, a comment says what the bound is.
#include <cmath>

#include "support/map.h"

namespace {

constexpr double kPi = 3.14159265358979323846;

// Powers of two apart, with mantissas of all sizes.
std::vector<float> magnitudes(int first_exponent, int last_exponent, bool negative = false) {
  std::vector<float> values;
  Random random(7);
  for (int exponent = first_exponent; exponent <= last_exponent; exponent += 2) {
    const double mantissa = 1 + static_cast<double>(random.below(1 << 23)) / (1 << 23);
    values.push_back(static_cast<float>(std::ldexp(mantissa, exponent)));
    if (negative) values.back() = -values.back();
  }
  return values;
}

std::vector<double> doubles(const std::vector<float>& values) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value *= 1.0000000123;
  return result;
}

// What follows from the definition, without error: zeros, infinities, NaNs.
std::vector<float> ends_of_angles() { return {0.0f, -0.0f, INFINITY, -INFINITY, NAN}; }
std::vector<float> ends() { return {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f}; }

#define INSTRUCTION(name, text)                     \
  struct name {                                     \
    __device__ float operator()(float a) const {    \
      float result;                                 \
      asm(text " %0, %1;" : "=f"(result) : "f"(a)); \
      return result;                                \
    }                                               \
  }

INSTRUCTION(Sine, "sin.approx.f32");
INSTRUCTION(SineFtz, "sin.approx.ftz.f32");
INSTRUCTION(Cosine, "cos.approx.f32");
INSTRUCTION(CosineFtz, "cos.approx.ftz.f32");
INSTRUCTION(Exponential, "ex2.approx.f32");
INSTRUCTION(ExponentialFtz, "ex2.approx.ftz.f32");
INSTRUCTION(Logarithm, "lg2.approx.f32");
INSTRUCTION(LogarithmFtz, "lg2.approx.ftz.f32");
INSTRUCTION(Tangent, "tanh.approx.f32");
INSTRUCTION(Reciprocal, "rcp.approx.f32");
INSTRUCTION(ReciprocalFtz, "rcp.approx.ftz.f32");
INSTRUCTION(Root, "sqrt.approx.f32");
INSTRUCTION(RootFtz, "sqrt.approx.ftz.f32");
INSTRUCTION(ReciprocalRoot, "rsqrt.approx.f32");
INSTRUCTION(ReciprocalRootFtz, "rsqrt.approx.ftz.f32");

}  // namespace

CASE(sine) { within("abs:2^-20.5", map<float(float)>(Sine(), steps(-2 * kPi, 2 * kPi))); }
CASE(sine_far) { within("abs:2^-14.7", map<float(float)>(Sine(), steps(-100 * kPi, 100 * kPi))); }
CASE(sine_ftz) { within("abs:2^-20.5", map<float(float)>(SineFtz(), steps(-2 * kPi, 2 * kPi))); }
CASE(cosine) { within("abs:2^-20.5", map<float(float)>(Cosine(), steps(-2 * kPi, 2 * kPi))); }
CASE(cosine_far) {
  within("abs:2^-14.7", map<float(float)>(Cosine(), steps(-100 * kPi, 100 * kPi)));
}
CASE(cosine_ftz) { within("abs:2^-20.5", map<float(float)>(CosineFtz(), steps(-kPi, kPi))); }
CASE(exponential) { within("ulp32:2", map<float(float)>(Exponential(), steps(-125.5, 127.5))); }
CASE(exponential_ftz) {
  within("ulp32:2", map<float(float)>(ExponentialFtz(), steps(-125.5, 127.5)));
}
CASE(logarithm_near_one) {
  within("abs:2^-22", map<float(float)>(Logarithm(), steps(0.505, 1.995)));
}
CASE(logarithm) { within("rel:2^-22", map<float(float)>(Logarithm(), magnitudes(-126, 127))); }
CASE(logarithm_ftz) { within("rel:2^-22", map<float(float)>(LogarithmFtz(), magnitudes(1, 127))); }
CASE(hyperbolic_tangent) { within("rel:2^-11", map<float(float)>(Tangent(), steps(-9, 9))); }
CASE(reciprocal) { within("ulp32:1", map<float(float)>(Reciprocal(), magnitudes(-125, 125))); }
CASE(reciprocal_negative) {
  within("ulp32:1", map<float(float)>(ReciprocalFtz(), magnitudes(-125, 125, true)));
}
CASE(root) { within("rel:2^-23", map<float(float)>(Root(), magnitudes(-126, 127))); }
CASE(root_ftz) { within("rel:2^-23", map<float(float)>(RootFtz(), magnitudes(-125, 127))); }
CASE(reciprocal_root) {
  within("rel:2^-22.9", map<float(float)>(ReciprocalRoot(), magnitudes(-126, 127)));
}
CASE(reciprocal_root_ftz) {
  within("rel:2^-22.9", map<float(float)>(ReciprocalRootFtz(), magnitudes(-125, 127)));
}

CASE(ends_of_sine) { exact(map<float(float)>(Sine(), ends_of_angles())); }
CASE(ends_of_cosine) { exact(map<float(float)>(Cosine(), ends_of_angles())); }
CASE(ends_of_exponential) { exact(map<float(float)>(Exponential(), ends())); }
CASE(ends_of_logarithm) { exact(map<float(float)>(Logarithm(), ends())); }
CASE(ends_of_reciprocal) { exact(map<float(float)>(Reciprocal(), ends())); }
CASE(ends_of_root) { exact(map<float(float)>(Root(), ends())); }
CASE(ends_of_reciprocal_root) { exact(map<float(float)>(ReciprocalRoot(), ends())); }
CASE(ends_of_tangent) { exact(map<float(float)>(Tangent(), ends_of_angles())); }

CASE(quotient) {
  within("ulp32:2", map<float(float, float)>(
                        [] __device__(float a, float b) {
                          float result;
                          asm("div.approx.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
                          return result;
                        },
                        magnitudes(-60, 60), magnitudes(-60, 60, true)));
}
CASE(quotient_full) {
  within("ulp32:2", map<float(float, float)>(
                        [] __device__(float a, float b) {
                          float result;
                          asm("div.full.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
                          return result;
                        },
                        magnitudes(-60, 60), magnitudes(-58, 62)));
}

// "Gross" approximations of f64: only the upper half of the result counts. The ISA gives no bound;
// 20 bits are what that half holds of the mantissa.
CASE(reciprocal_f64) {
  within("rel:2^-19", map<double(double)>(
                          [] __device__(double a) {
                            double result;
                            asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(a));
                            return result;
                          },
                          doubles(magnitudes(-126, 127))));
}
CASE(reciprocal_root_f64) {
  within("rel:2^-19", map<double(double)>(
                          [] __device__(double a) {
                            double result;
                            asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(a));
                            return result;
                          },
                          doubles(magnitudes(-126, 127))));
}

CASE(exponential_f16) {
  within("rel:2^-9.9", map<float(float)>(
                           [] __device__(float a) {
                             unsigned short result;
                             asm("ex2.approx.f16 %0, %1;"
                                 : "=h"(result)
                                 : "h"(__half_as_ushort(__float2half_rn(a))));
                             return __half2float(__ushort_as_half(result));
                           },
                           steps(-13, 15)));
}
CASE(exponential_bf16) {
  within("rel:2^-7", map<float(float)>(
                         [] __device__(float a) {
                           unsigned short result;
                           asm("ex2.approx.ftz.bf16 %0, %1;"
                               : "=h"(result)
                               : "h"(__bfloat16_as_ushort(__float2bfloat16_rn(a))));
                           return __bfloat162float(__ushort_as_bfloat16(result));
                         },
                         steps(-100, 100)));
}
CASE(hyperbolic_tangent_f16) {
  within("abs:2^-10.987", map<float(float)>(
                              [] __device__(float a) {
                                unsigned short result;
                                asm("tanh.approx.f16 %0, %1;"
                                    : "=h"(result)
                                    : "h"(__half_as_ushort(__float2half_rn(a))));
                                return __half2float(__ushort_as_half(result));
                              },
                              steps(-5, 5)));
}
CASE(hyperbolic_tangent_bf16) {
  within("abs:2^-8", map<float(float)>(
                         [] __device__(float a) {
                           unsigned short result;
                           asm("tanh.approx.bf16 %0, %1;"
                               : "=h"(result)
                               : "h"(__bfloat16_as_ushort(__float2bfloat16_rn(a))));
                           return __bfloat162float(__ushort_as_bfloat16(result));
                         },
                         steps(-5, 5)));
}

// Made of the instructions above, with one more rounding each: the sums of their bounds.
CASE(fast_exponential) {
  within("rel:2^-17",
         map<float(float)>([] __device__(float a) { return __expf(a); }, steps(-60, 60)));
}
CASE(fast_logarithm) {
  within("rel:2^-20", map<float(float)>([] __device__(float a) { return __logf(a) + __log10f(a); },
                                        steps(2.5, 900)));
}
CASE(fast_power) {
  within("rel:2^-17",
         map<float(float)>([] __device__(float a) { return __powf(a, 3.3f); }, steps(0.2, 40)));
}
CASE(fast_sine_and_cosine) {
  within("abs:2^-19", map<float(float)>(
                          [] __device__(float a) {
                            float sine, cosine;
                            __sincosf(a, &sine, &cosine);
                            return sine + cosine;
                          },
                          steps(-3, 3)));
}
CASE(fast_quotient) {
  within("ulp32:2", map<float(float)>([] __device__(float a) { return __fdividef(a, 3.7f); },
                                      magnitudes(-100, 120)));
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
