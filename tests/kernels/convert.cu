// Conversions between types, in all roundings.
#include <cuda_fp8.h>

#include "support/map.h"

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

CASE(f32_to_s32) {
  exact(map<uint32_t(float)>([] __device__(float a) {
    return uint32_t(__float2int_rn(a)) + 3u * __float2int_rz(a) + 5u * __float2int_ru(a) +
           7u * __float2int_rd(a);
  }));
}
CASE(f32_to_u32) {
  exact(map<uint32_t(float)>([] __device__(float a) {
    return __float2uint_rn(a) + 3 * __float2uint_rz(a) + 5 * __float2uint_ru(a) +
           7 * __float2uint_rd(a);
  }));
}
CASE(f32_to_s64) {
  exact(map<uint64_t(float)>([] __device__(float a) {
    return uint64_t(__float2ll_rn(a)) + 3 * uint64_t(__float2ll_rz(a)) +
           5 * uint64_t(__float2ll_ru(a)) + 7 * uint64_t(__float2ll_rd(a));
  }));
}
CASE(f32_to_u64) {
  exact(map<uint64_t(float)>([] __device__(float a) {
    return uint64_t(__float2ull_rn(a)) + 3 * uint64_t(__float2ull_rz(a)) +
           5 * uint64_t(__float2ull_ru(a)) + 7 * uint64_t(__float2ull_rd(a));
  }));
}
CASE(f64_to_s32) {
  exact(map<uint32_t(double)>([] __device__(double a) {
    return uint32_t(__double2int_rn(a)) + 3u * __double2int_rz(a) + 5u * __double2int_ru(a) +
           7u * __double2int_rd(a);
  }));
}
CASE(f64_to_u32) {
  exact(map<uint32_t(double)>([] __device__(double a) {
    return __double2uint_rn(a) + 3 * __double2uint_rz(a) + 5 * __double2uint_ru(a) +
           7 * __double2uint_rd(a);
  }));
}
CASE(f64_to_s64) {
  exact(map<uint64_t(double)>([] __device__(double a) {
    return uint64_t(__double2ll_rn(a)) + 3 * uint64_t(__double2ll_rz(a)) +
           5 * uint64_t(__double2ll_ru(a)) + 7 * uint64_t(__double2ll_rd(a));
  }));
}
CASE(f64_to_u64) {
  exact(map<uint64_t(double)>([] __device__(double a) {
    return uint64_t(__double2ull_rn(a)) + 3 * uint64_t(__double2ull_rz(a)) +
           5 * uint64_t(__double2ull_ru(a)) + 7 * uint64_t(__double2ull_rd(a));
  }));
}
CASE(floats_to_narrow_integers) {
  exact(map<uint32_t(float, double)>([] __device__(float a, double b) {
    int16_t s16;
    uint16_t u16;
    int32_t s8, u8;
    asm("cvt.rni.s16.f32 %0, %1;" : "=h"(s16) : "f"(a));
    asm("cvt.rzi.u16.f64 %0, %1;" : "=h"(u16) : "d"(b));
    asm("cvt.rmi.s8.f32 %0, %1;" : "=r"(s8) : "f"(a));
    asm("cvt.rpi.u8.f32 %0, %1;" : "=r"(u8) : "f"(a));
    return uint32_t(s16) + 3u * u16 + 5u * (s8 & 0xff) + 7u * (u8 & 0xff);
  }));
}
CASE(f32_to_s32_ftz) {
  exact(map<int32_t(float)>([] __device__(float a) {
    int up, down;
    asm("cvt.rpi.ftz.s32.f32 %0, %1;" : "=r"(up) : "f"(a));
    asm("cvt.rmi.ftz.s32.f32 %0, %1;" : "=r"(down) : "f"(a));
    return up ^ down * 3;
  }));
}

CASE(s32_to_f32) {
  exact(map<float(int32_t)>([] __device__(int32_t a) { return __int2float_rn(a); }),
        map<float(int32_t)>([] __device__(int32_t a) { return __int2float_rz(a); }),
        map<float(int32_t)>([] __device__(int32_t a) { return __int2float_ru(a); }),
        map<float(int32_t)>([] __device__(int32_t a) { return __int2float_rd(a); }));
}
CASE(u32_to_f32) {
  exact(map<float(uint32_t)>([] __device__(uint32_t a) { return __uint2float_rn(a); }),
        map<float(uint32_t)>([] __device__(uint32_t a) { return __uint2float_ru(a); }));
}
CASE(s64_to_f32) {
  exact(map<float(int64_t)>([] __device__(int64_t a) { return __ll2float_rn(a); }),
        map<float(int64_t)>([] __device__(int64_t a) { return __ll2float_rd(a); }));
}
CASE(u64_to_f32) {
  exact(map<float(uint64_t)>([] __device__(uint64_t a) { return __ull2float_rn(a); }),
        map<float(uint64_t)>([] __device__(uint64_t a) { return __ull2float_rz(a); }));
}
CASE(integers_to_f64) {
  exact(map<double(int32_t)>([] __device__(int32_t a) { return __int2double_rn(a); }),
        map<double(uint32_t)>([] __device__(uint32_t a) { return __uint2double_rn(a); }),
        map<double(int64_t)>([] __device__(int64_t a) { return __ll2double_ru(a); }),
        map<double(uint64_t)>([] __device__(uint64_t a) { return __ull2double_rd(a); }));
}
CASE(narrow_integers_to_floats) {
  exact(map<float(int8_t, uint8_t, int16_t, uint16_t)>(
      [] __device__(int8_t a, uint8_t b, int16_t c, uint16_t d) {
        return float(a) + 256.0f * float(b) + float(double(c)) * 8.0f + float(d);
      }));
}

CASE(f64_to_f32) {
  exact(map<float(double)>([] __device__(double a) { return __double2float_rn(a); }),
        map<float(double)>([] __device__(double a) { return __double2float_rz(a); }),
        map<float(double)>([] __device__(double a) { return __double2float_ru(a); }),
        map<float(double)>([] __device__(double a) { return __double2float_rd(a); }));
}
CASE(f64_to_f32_ftz) {
  exact(map<float(double)>([] __device__(double a) {
    float result;
    asm("cvt.rn.ftz.sat.f32.f64 %0, %1;" : "=f"(result) : "d"(a));
    return result;
  }));
}
CASE(f32_to_f64) {
  exact(map<double(float)>([] __device__(float a) { return isnan(a) ? 0.0 : double(a); }));
}
CASE(f32_to_whole_ftz) {
  exact(map<float(float)>([] __device__(float a) {
    float nearest, zero;
    asm("cvt.rni.ftz.f32.f32 %0, %1;" : "=f"(nearest) : "f"(a));
    asm("cvt.rzi.sat.f32.f32 %0, %1;" : "=f"(zero) : "f"(a));
    return __fadd_rn(nearest, zero);
  }));
}

CASE(f32_to_f16) {
  exact(map<__half(float)>([] __device__(float a) { return __float2half_rn(a); }),
        map<__half(float)>([] __device__(float a) { return __float2half_rz(a); }),
        map<__half(float)>([] __device__(float a) { return __float2half_ru(a); }),
        map<__half(float)>([] __device__(float a) { return __float2half_rd(a); }));
}
CASE(f64_to_f16) {
  exact(map<__half(double)>([] __device__(double a) { return __double2half(a); }));
}
CASE(f16_to_floats) {
  exact(map<float(__half)>([] __device__(__half a) { return __half2float(a); }),
        map<double(__half)>([] __device__(__half a) {
          double result;
          asm("cvt.f64.f16 %0, %1;" : "=d"(result) : "h"(__half_as_ushort(a)));
          return __hisnan(a) ? 0.0 : result;
        }));
}
CASE(f16_to_integers) {
  exact(map<uint64_t(__half)>([] __device__(__half a) {
    return uint64_t(__half2int_rn(a)) + 3 * uint64_t(__half2uint_rz(a)) +
           5 * uint64_t(__half2ll_rd(a)) + 7 * uint64_t(__half2ull_ru(a)) +
           11 * uint64_t(__half2short_rn(a)) + 13 * uint64_t(__half2ushort_rz(a));
  }));
}
CASE(integers_to_f16) {
  exact(map<__half(int32_t)>([] __device__(int32_t a) { return __int2half_rn(a); }),
        map<__half(uint64_t)>([] __device__(uint64_t a) { return __ull2half_rz(a); }),
        map<__half(int16_t)>([] __device__(int16_t a) { return __short2half_ru(a); }),
        map<__half(uint16_t)>([] __device__(uint16_t a) { return __ushort2half_rd(a); }));
}
CASE(f16_to_whole) {
  exact(map<__half(__half)>([] __device__(__half a) {
    return __hadd_rn(__hadd_rn(hfloor(a), hceil(a)), __hadd_rn(htrunc(a), hrint(a)));
  }));
}

CASE(f32_to_bf16) {
  exact(map<__nv_bfloat16(float)>([] __device__(float a) { return __float2bfloat16_rn(a); }),
        map<__nv_bfloat16(float)>([] __device__(float a) { return __float2bfloat16_rz(a); }),
        map<__nv_bfloat16(float)>([] __device__(float a) { return __float2bfloat16_ru(a); }),
        map<__nv_bfloat16(float)>([] __device__(float a) { return __float2bfloat16_rd(a); }));
}
CASE(bf16_to_f32) {
  exact(map<float(__nv_bfloat16)>(
      [] __device__(__nv_bfloat16 a) { return __hisnan(a) ? 0.0f : __bfloat162float(a); }));
}
CASE(bf16_and_integers) {
  exact(map<uint64_t(__nv_bfloat16)>([] __device__(__nv_bfloat16 a) {
          return uint64_t(__bfloat162int_rn(a)) + 3 * uint64_t(__bfloat162ull_rz(a)) +
                 5 * uint64_t(__bfloat162short_rd(a));
        }),
        map<__nv_bfloat16(int32_t)>([] __device__(int32_t a) { return __int2bfloat16_rn(a); }),
        map<__nv_bfloat16(uint64_t)>([] __device__(uint64_t a) { return __ull2bfloat16_ru(a); }));
}
CASE(pairs_to_halves) {
  exact(map<uint32_t(float, float)>([] __device__(float a, float b) {
    uint32_t plain, relu, bfloat, bfloat_zero;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(plain) : "f"(a), "f"(b));
    asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(relu) : "f"(a), "f"(b));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bfloat) : "f"(a), "f"(b));
    asm("cvt.rz.relu.bf16x2.f32 %0, %1, %2;" : "=r"(bfloat_zero) : "f"(a), "f"(b));
    return plain + 3 * relu + 5 * bfloat + 7 * bfloat_zero;
  }));
}
CASE(f32_to_tf32) {
  exact(map<uint32_t(float)>([] __device__(float a) {
    uint32_t away, nearest, zero;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(away) : "f"(a));
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(nearest) : "f"(a));
    asm("cvt.rz.relu.tf32.f32 %0, %1;" : "=r"(zero) : "f"(a));
    // What lies below the 19 bits of a tf32 is not defined.
    return (away & 0xffffe000) + (nearest >> 13) + (zero >> 13) * 3;
  }));
}
CASE(to_f8) {
  exact(map<uint32_t(float, float)>([] __device__(float a, float b) {
    uint16_t e4m3, e5m2, relu;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(e4m3) : "f"(a), "f"(b));
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(e5m2) : "f"(a), "f"(b));
    asm("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;" : "=h"(relu) : "f"(a), "f"(b));
    return e4m3 + (uint32_t(e5m2) << 16) + 3u * relu;
  }));
}
CASE(f16_to_f8) {
  exact(map<uint32_t(__half, __half)>([] __device__(__half a, __half b) {
    const uint32_t pair = __half_as_ushort(a) | uint32_t(__half_as_ushort(b)) << 16;
    uint16_t e4m3, e5m2;
    asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(e4m3) : "r"(pair));
    asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(e5m2) : "r"(pair));
    return e4m3 + (uint32_t(e5m2) << 16);
  }));
}
CASE(from_f8) {
  exact(map<uint32_t(uint16_t)>([] __device__(uint16_t a) {
    uint32_t e4m3, e5m2;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(e4m3) : "h"(a));
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(e5m2) : "h"(a));
    return e4m3 + 3 * e5m2;
  }));
}
CASE(f8_types) {
  exact(map<float(float)>([] __device__(float a) {
    const float e4m3(__nv_fp8_e4m3{a});
    const float e5m2(__nv_fp8_e5m2{a});
    return isnan(a) || isinf(e5m2) ? 1.0f : e4m3 + e5m2;
  }));
}

CASE(integers_to_wider) {
  exact(map<uint64_t(int8_t, uint8_t, int16_t, int32_t)>(
      [] __device__(int8_t a, uint8_t b, int16_t c, int32_t d) {
        return uint64_t(int64_t(a)) + 3 * uint64_t(b) + 5 * uint64_t(int64_t(c)) +
               7 * uint64_t(int64_t(d)) + 11 * uint64_t(uint32_t(int32_t(a)));
      }));
}
CASE(integers_to_narrower) {
  exact(map<uint32_t(int64_t, int32_t)>([] __device__(int64_t a, int32_t b) {
    return uint32_t(int32_t(a)) + 3u * uint16_t(a) + 5u * int8_t(a) + 7u * uint8_t(b) +
           11u * int16_t(b);
  }));
}
CASE(integers_saturated) {
  exact(map<uint32_t(int64_t, int32_t)>([] __device__(int64_t a, int32_t b) {
    int32_t s32, s8;
    uint32_t u32, u8;
    int16_t s16;
    uint16_t u16;
    asm("cvt.sat.s32.s64 %0, %1;" : "=r"(s32) : "l"(a));
    asm("cvt.sat.u32.s64 %0, %1;" : "=r"(u32) : "l"(a));
    asm("cvt.sat.s16.u64 %0, %1;" : "=h"(s16) : "l"(a));
    asm("cvt.sat.u16.s32 %0, %1;" : "=h"(u16) : "r"(b));
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(s8) : "r"(b));
    asm("cvt.sat.u8.u32 %0, %1;" : "=r"(u8) : "r"(b));
    return uint32_t(s32) + 3 * u32 + 5u * s16 + 7u * u16 + 11u * (s8 & 0xff) + 13 * (u8 & 0xff);
  }));
}
CASE(integers_packed) {
  exact(map<uint32_t(int32_t, int32_t, uint32_t)>([] __device__(int32_t a, int32_t b, uint32_t c) {
    uint32_t halves, unsigned_halves, bytes;
    asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(halves) : "r"(a), "r"(b));
    asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(unsigned_halves) : "r"(a), "r"(b));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(a), "r"(b), "r"(c));
    return halves + 3 * unsigned_halves + 5 * bytes;
  }));
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
