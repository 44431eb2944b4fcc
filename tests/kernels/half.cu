// Arithmetic of f16 and bf16, alone and in pairs.
#include "support/map.h"

using std::uint32_t;
using Half = __half;
using Bfloat = __nv_bfloat16;

namespace {

// A pair from a word, and back.
__device__ __half2 halves(uint32_t word) { return *reinterpret_cast<const __half2*>(&word); }
__device__ __nv_bfloat162 bfloats(uint32_t word) {
  return *reinterpret_cast<const __nv_bfloat162*>(&word);
}
template <class Pair>
__device__ uint32_t word(Pair pair) {
  return *reinterpret_cast<const uint32_t*>(&pair);
}

}  // namespace

CASE(add_f16) {
  exact(map<Half(Half, Half)>([] __device__(Half a, Half b) { return __hadd_rn(a, b); }));
}
CASE(subtract_f16) {
  exact(map<Half(Half, Half)>([] __device__(Half a, Half b) { return __hsub_rn(a, b); }));
}
CASE(multiply_f16) {
  exact(map<Half(Half, Half)>([] __device__(Half a, Half b) { return __hmul_rn(a, b); }));
}
CASE(fma_f16) {
  exact(map<Half(Half, Half, Half)>(
      [] __device__(Half a, Half b, Half c) { return __hfma(a, b, c); }));
}
CASE(fma_relu_f16) {
  exact(map<Half(Half, Half, Half)>(
      [] __device__(Half a, Half b, Half c) { return __hfma_relu(a, b, c); }));
}
CASE(saturate_f16) {
  exact(map<Half(Half, Half, Half)>([] __device__(Half a, Half b, Half c) {
    return __hadd_rn(__hadd_sat(a, b), __hadd_rn(__hmul_sat(b, c), __hfma_sat(a, b, c)));
  }));
}
CASE(ftz_f16) {
  exact(map<Half(Half, Half, Half)>([] __device__(Half a, Half b, Half c) {
    unsigned short product, fused;
    asm("mul.rn.ftz.f16 %0, %1, %2;"
        : "=h"(product)
        : "h"(__half_as_ushort(a)), "h"(__half_as_ushort(b)));
    asm("fma.rn.ftz.f16 %0, %1, %2, %3;"
        : "=h"(fused)
        : "h"(__half_as_ushort(a)), "h"(__half_as_ushort(b)), "h"(__half_as_ushort(c)));
    return __hadd_rn(__ushort_as_half(product), __ushort_as_half(fused));
  }));
}
CASE(minimum_f16) {
  exact(map<Half(Half, Half)>([] __device__(Half a, Half b) { return __hmin(a, b); }),
        map<Half(Half, Half)>([] __device__(Half a, Half b) { return __hmin_nan(a, b); }));
}
CASE(maximum_f16) {
  exact(map<Half(Half, Half)>([] __device__(Half a, Half b) { return __hmax(a, b); }),
        map<Half(Half, Half)>([] __device__(Half a, Half b) { return __hmax_nan(a, b); }));
}
CASE(compare_f16) {
  exact(map<uint32_t(Half, Half)>([] __device__(Half a, Half b) {
    return uint32_t(__heq(a, b)) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hgeu(a, b) << 3 |
           __hltu(a, b) << 4 | __hequ(a, b) << 5 | __hisnan(a) << 6 | (__hisinf(b) != 0) << 7;
  }));
}
CASE(signs_f16) {
  exact(map<Half(Half, Half)>([] __device__(Half a, Half b) {
    return __hisnan(a) || __hisnan(b) ? Half(0) : __hadd_rn(__habs(a), __hneg(b));
  }));
}
CASE(pairs_f16) {
  exact(map<uint32_t(uint32_t, uint32_t, uint32_t)>([] __device__(uint32_t a, uint32_t b,
                                                                  uint32_t c) {
    return word(__hadd2_rn(halves(a), halves(b))) + 3 * word(__hmul2_rn(halves(a), halves(c))) +
           5 * word(__hfma2(halves(a), halves(b), halves(c))) +
           7 * word(__hmax2(halves(b), halves(c))) + 11 * word(__hmin2_nan(halves(a), halves(b)));
  }));
}
CASE(compare_pairs_f16) {
  exact(map<uint32_t(uint32_t, uint32_t)>([] __device__(uint32_t a, uint32_t b) {
    return word(__hlt2(halves(a), halves(b))) + 3 * word(__hgeu2(halves(a), halves(b))) +
           __heq2_mask(halves(a), halves(b)) + __hne2_mask(halves(a), halves(b)) * 5 +
           __hbltu2(halves(a), halves(b)) * 7;
  }));
}
CASE(shuffle_pairs_f16) {
  exact(map<uint32_t(uint32_t, uint32_t)>([] __device__(uint32_t a, uint32_t b) {
    return word(__lows2half2(halves(a), halves(b))) +
           3 * word(__highs2half2(halves(a), halves(b))) + 5 * word(__lowhigh2highlow(halves(a)));
  }));
}

CASE(add_bf16) {
  exact(map<Bfloat(Bfloat, Bfloat)>([] __device__(Bfloat a, Bfloat b) { return __hadd_rn(a, b); }));
}
CASE(subtract_bf16) {
  exact(map<Bfloat(Bfloat, Bfloat)>([] __device__(Bfloat a, Bfloat b) { return __hsub_rn(a, b); }));
}
CASE(multiply_bf16) {
  exact(map<Bfloat(Bfloat, Bfloat)>([] __device__(Bfloat a, Bfloat b) { return __hmul_rn(a, b); }));
}
CASE(fma_bf16) {
  exact(map<Bfloat(Bfloat, Bfloat, Bfloat)>(
      [] __device__(Bfloat a, Bfloat b, Bfloat c) { return __hfma(a, b, c); }));
}
CASE(fma_relu_bf16) {
  exact(map<Bfloat(Bfloat, Bfloat, Bfloat)>(
      [] __device__(Bfloat a, Bfloat b, Bfloat c) { return __hfma_relu(a, b, c); }));
}
CASE(extremes_bf16) {
  exact(
      map<Bfloat(Bfloat, Bfloat)>([] __device__(Bfloat a, Bfloat b) { return __hmin(a, b); }),
      map<Bfloat(Bfloat, Bfloat)>([] __device__(Bfloat a, Bfloat b) { return __hmax_nan(a, b); }));
}
CASE(compare_bf16) {
  exact(map<uint32_t(Bfloat, Bfloat)>([] __device__(Bfloat a, Bfloat b) {
    return uint32_t(__heq(a, b)) | __hneu(a, b) << 1 | __hlt(a, b) << 2 | __hgeu(a, b) << 3 |
           __hgt(a, b) << 4 | __hleu(a, b) << 5 | __hisnan(a) << 6;
  }));
}
CASE(pairs_bf16) {
  exact(map<uint32_t(uint32_t, uint32_t, uint32_t)>([] __device__(uint32_t a, uint32_t b,
                                                                  uint32_t c) {
    return word(__hadd2_rn(bfloats(a), bfloats(b))) + 3 * word(__hsub2_rn(bfloats(a), bfloats(c))) +
           5 * word(__hfma2(bfloats(a), bfloats(b), bfloats(c))) +
           7 * word(__hmax2(bfloats(b), bfloats(c)));
  }));
}

// A sum in f16 whose order is fixed.
CASE(dot_product_f16) {
  exact(map<Half(uint32_t)>([] __device__(uint32_t a) {
    __half2 sum = __float2half2_rn(0.0f);
    for (uint32_t i = 0; i < 40; ++i) {
      const __half2 pair = __floats2half2_rn(float((a + i) % 17) / 16, float((a ^ i) % 13) / 8);
      sum = __hfma2(pair, __lowhigh2highlow(pair), sum);
    }
    return __hadd_rn(__low2half(sum), __high2half(sum));
  }));
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
