// Functions of the CUDA math library. What they use of approximate instructions decides how they
// are compared: those made of IEEE operations alone are exact, the others are compared with the
// error that the CUDA C++ Programming Guide gives for the function.
#include "support/map.h"

namespace {

std::vector<double> double_steps(double first, double last) {
  std::vector<double> values;
  for (int i = 0; i <= 96; ++i) values.push_back(first + (last - first) * i / 96);
  return values;
}

}  // namespace

// Large arguments are reduced through a table in local memory.
CASE(sine_f32) {
  exact(map<float(float)>([] __device__(float a) { return isinf(a) ? 0.0f : sinf(a); }));
}
CASE(cosine_f32) {
  exact(map<float(float)>([] __device__(float a) { return isinf(a) ? 0.0f : cosf(a); }));
}
CASE(sine_f64) {
  exact(map<double(double)>([] __device__(double a) { return isfinite(a) ? sin(a) : 0.0; }));
}
CASE(cosine_f64) {
  exact(map<double(double)>([] __device__(double a) { return isfinite(a) ? cos(a) : 0.0; }));
}
CASE(exponential_f64) {
  exact(map<double(double)>([] __device__(double a) { return isnan(a) ? 0.0 : exp(a); },
                            double_steps(-740, 705)));
}
CASE(error_function_f64) {
  within("ulp64:4",
         map<double(double)>([] __device__(double a) { return erf(a); }, double_steps(-4, 4)));
}
CASE(logarithm_f64) {
  within("ulp64:2",
         map<double(double)>([] __device__(double a) { return log(a); }, double_steps(1e-3, 50)));
}
CASE(power_f64) {
  within("ulp64:4", map<double(double)>([] __device__(double a) { return pow(a, 2.7); },
                                        double_steps(0.1, 300)));
}
CASE(cube_root_f64) {
  within("ulp64:2",
         map<double(double)>([] __device__(double a) { return cbrt(a); }, double_steps(-90, 100)));
}
CASE(arc_tangent_f64) {
  exact(map<double(double)>([] __device__(double a) { return atan2(a, 1.75); },
                            double_steps(-9, 10)));
}
CASE(gamma_f64) {
  within("ulp64:20", map<double(double)>([] __device__(double a) { return tgamma(a); },
                                         double_steps(0.25, 30)));
}
CASE(hypotenuse_f64) {
  within("ulp64:4", map<double(double)>([] __device__(double a) { return hypot(a, 12.5); },
                                        double_steps(-70, 80)));
}

CASE(exponential_f32) {
  within("ulp32:4", map<float(float)>([] __device__(float a) { return expf(a); }, steps(-85, 88)));
}
CASE(logarithm_f32) {
  exact(map<float(float)>([] __device__(float a) { return a > 0 ? logf(a) : 0.0f; }));
}
CASE(power_f32) {
  within("ulp32:8",
         map<float(float)>([] __device__(float a) { return powf(a, 2.3f); }, steps(0.1, 70)));
}
CASE(tangent_f32) {
  within("ulp32:8",
         map<float(float)>([] __device__(float a) { return tanf(a); }, steps(-1.5, 1.5)));
}
CASE(hyperbolic_f32) {
  within("ulp32:6",
         map<float(float)>([] __device__(float a) { return sinhf(a) + tanhf(a); }, steps(0.1, 20)));
}
CASE(error_function_f32) {
  within("ulp32:4", map<float(float)>([] __device__(float a) { return erff(a); }, steps(-3, 3)));
}
CASE(gamma_f32) {
  within("ulp32:24",
         map<float(float)>([] __device__(float a) { return lgammaf(a); }, steps(3.1, 50)));
}
CASE(arc_sine_f32) {
  within("ulp32:4", map<float(float)>([] __device__(float a) { return asinf(a); }, steps(-1, 1)));
}
CASE(cube_root_f32) {
  within("ulp32:2",
         map<float(float)>([] __device__(float a) { return cbrtf(a); }, steps(-500, 500)));
}
CASE(bessel_f32) {
  within("abs:2^-19", map<float(float)>([] __device__(float a) { return j0f(a); }, steps(0, 20)));
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
