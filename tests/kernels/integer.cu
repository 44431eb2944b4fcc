// Arithmetic of integers of all widths.
#include "support/map.h"

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

namespace {

// Sums wrap: they are taken without signs.
struct Ring {
  template <class T>
  __device__ T operator()(T a, T b, T c) const {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(U(a) * U(b)) + U(c)) - U(a) * U(7));
  }
};

// Where C++ defines it.
template <class T>
__device__ bool divides(T a, T b) {
  return b != 0 && !(std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == T(-1));
}

struct Divide {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return divides(a, b) ? T(a / b) : T(99);
  }
};

struct Remainder {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return divides(a, b) ? T(a % b) : T(99);
  }
};

struct DivideByConstants {
  template <class T>
  __device__ T operator()(T a) const {
    return T(a / T(3) + a % T(10) * T(5) - a / T(64) - a % T(7) + a / T(100));
  }
};

// The lower, the higher and how they compare.
struct Order {
  template <class T>
  __device__ T operator()(T a, T b) const {
    const T low = a < b ? a : b;
    const T high = a > b ? a : b;
    return T(T(low ^ T(high << 1)) + T(a <= b) + T(2 * (a >= b)) + T(4 * (a == b)));
  }
};

}  // namespace

CASE(ring_s8) { exact(map<int8_t(int8_t, int8_t, int8_t)>(Ring())); }
CASE(ring_u8) { exact(map<uint8_t(uint8_t, uint8_t, uint8_t)>(Ring())); }
CASE(ring_s16) { exact(map<int16_t(int16_t, int16_t, int16_t)>(Ring())); }
CASE(ring_u16) { exact(map<uint16_t(uint16_t, uint16_t, uint16_t)>(Ring())); }
CASE(ring_u32) { exact(map<uint32_t(uint32_t, uint32_t, uint32_t)>(Ring())); }
CASE(ring_u64) { exact(map<uint64_t(uint64_t, uint64_t, uint64_t)>(Ring())); }

CASE(divide_s8) { exact(map<int8_t(int8_t, int8_t)>(Divide())); }
CASE(divide_u8) { exact(map<uint8_t(uint8_t, uint8_t)>(Divide())); }
CASE(divide_s16) { exact(map<int16_t(int16_t, int16_t)>(Divide())); }
CASE(divide_u16) { exact(map<uint16_t(uint16_t, uint16_t)>(Divide())); }
CASE(divide_s32) { exact(map<int32_t(int32_t, int32_t)>(Divide())); }
CASE(divide_u32) { exact(map<uint32_t(uint32_t, uint32_t)>(Divide())); }
CASE(divide_s64) { exact(map<int64_t(int64_t, int64_t)>(Divide())); }
CASE(divide_u64) { exact(map<uint64_t(uint64_t, uint64_t)>(Divide())); }

CASE(remainder_s16) { exact(map<int16_t(int16_t, int16_t)>(Remainder())); }
CASE(remainder_s32) { exact(map<int32_t(int32_t, int32_t)>(Remainder())); }
CASE(remainder_u32) { exact(map<uint32_t(uint32_t, uint32_t)>(Remainder())); }
CASE(remainder_s64) { exact(map<int64_t(int64_t, int64_t)>(Remainder())); }
CASE(remainder_u64) { exact(map<uint64_t(uint64_t, uint64_t)>(Remainder())); }

CASE(divide_by_constants_s32) { exact(map<int32_t(int32_t)>(DivideByConstants())); }
CASE(divide_by_constants_u32) { exact(map<uint32_t(uint32_t)>(DivideByConstants())); }
CASE(divide_by_constants_s64) { exact(map<int64_t(int64_t)>(DivideByConstants())); }
CASE(divide_by_constants_u64) { exact(map<uint64_t(uint64_t)>(DivideByConstants())); }

CASE(order_s8) { exact(map<int8_t(int8_t, int8_t)>(Order())); }
CASE(order_s16) { exact(map<int16_t(int16_t, int16_t)>(Order())); }
CASE(order_u16) { exact(map<uint16_t(uint16_t, uint16_t)>(Order())); }
CASE(order_u32) { exact(map<uint32_t(uint32_t, uint32_t)>(Order())); }
CASE(order_u64) { exact(map<uint64_t(uint64_t, uint64_t)>(Order())); }

CASE(high_product_s32) {
  exact(map<int32_t(int32_t, int32_t)>([] __device__(int a, int b) { return __mulhi(a, b); }));
}
CASE(high_product_u32) {
  exact(map<uint32_t(uint32_t, uint32_t)>(
      [] __device__(uint32_t a, uint32_t b) { return __umulhi(a, b); }));
}
CASE(high_product_s64) {
  exact(map<int64_t(int64_t, int64_t)>(
      [] __device__(int64_t a, int64_t b) { return __mul64hi(a, b); }));
}
CASE(high_product_u64) {
  exact(map<uint64_t(uint64_t, uint64_t)>(
      [] __device__(uint64_t a, uint64_t b) { return __umul64hi(a, b); }));
}
CASE(product_24) {
  exact(map<uint32_t(int32_t, uint32_t)>(
      [] __device__(int a, uint32_t b) { return __mul24(a, int(b)) ^ __umul24(a, b); }));
}
CASE(wide_product) {
  exact(map<uint64_t(int32_t, int32_t, uint32_t)>([] __device__(int a, int b, uint32_t c) {
    return uint64_t(int64_t(a) * b) + uint64_t(c) * uint32_t(b) + uint32_t(a);
  }));
}
CASE(wide_product_16) {
  exact(map<uint32_t(int16_t, int16_t, uint16_t)>([] __device__(int16_t a, int16_t b, uint16_t c) {
    return uint32_t(int(a) * int(b)) + uint32_t(c) * uint16_t(a);
  }));
}

CASE(absolute_difference) {
  exact(map<uint32_t(int32_t, int32_t, uint32_t)>(
      [] __device__(int a, int b, uint32_t c) { return __sad(a, b, c) ^ (__usad(a, b, c) * 3); }));
}
CASE(averages) {
  exact(map<uint32_t(int32_t, int32_t)>([] __device__(int a, int b) {
    return uint32_t(__hadd(a, b)) + 3u * __rhadd(a, b) + 5u * __uhadd(a, b) + 7u * __urhadd(a, b);
  }));
}
CASE(absolute_values) {
  exact(map<int64_t(int32_t, int64_t, int16_t)>([] __device__(int a, int64_t b, int16_t c) {
    // Not defined for the lowest.
    if (a == INT32_MIN || b == INT64_MIN) return int64_t{-1};
    return int64_t(abs(a) ^ llabs(b)) + abs(c);
  }));
}

// 128 bits are sums and products with carries; division is a function.
CASE(wide_ring) {
  exact(map<uint64_t(uint64_t, uint64_t, uint64_t)>(
      [] __device__(uint64_t a, uint64_t b, uint64_t c) {
        const unsigned __int128 product = (unsigned __int128)(a)*b + c;
        const unsigned __int128 square = product * product - a;
        return uint64_t(square >> 64) ^ uint64_t(square >> 7);
      }));
}
CASE(wide_division) {
  exact(map<uint64_t(uint64_t, uint64_t, uint64_t)>(
      [] __device__(uint64_t a, uint64_t b, uint64_t c) {
        const unsigned __int128 dividend = (unsigned __int128)(a) << 64 | b;
        if (c == 0) return uint64_t{1};
        return uint64_t(dividend / c) ^ uint64_t(dividend % ((unsigned __int128)(c) << 9));
      }));
}

CASE(carries_32) {
  exact(map<uint64_t(uint32_t, uint32_t, uint32_t)>(
      [] __device__(uint32_t a, uint32_t b, uint32_t c) {
        uint32_t low, middle, high;
        asm("add.cc.u32 %0, %3, %4;\n\t"
            "addc.cc.u32 %1, %4, %5;\n\t"
            "addc.u32 %2, %3, %5;"
            : "=r"(low), "=r"(middle), "=r"(high)
            : "r"(a), "r"(b), "r"(c));
        uint32_t below, above;
        asm("sub.cc.u32 %0, %2, %3;\n\t"
            "subc.u32 %1, %3, %4;"
            : "=r"(below), "=r"(above)
            : "r"(a), "r"(b), "r"(c));
        return (uint64_t(low) << 32 | middle) + high * 3 - below - (uint64_t(above) << 17);
      }));
}
CASE(carries_64) {
  exact(map<uint64_t(uint64_t, uint64_t, uint64_t)>(
      [] __device__(uint64_t a, uint64_t b, uint64_t c) {
        uint64_t low, middle, high;
        asm("add.cc.u64 %0, %3, %4;\n\t"
            "addc.cc.u64 %1, %4, %5;\n\t"
            "subc.u64 %2, %3, %5;"
            : "=l"(low), "=l"(middle), "=l"(high)
            : "l"(a), "l"(b), "l"(c));
        return low + 3 * middle + 5 * high;
      }));
}
CASE(carries_of_products) {
  exact(map<uint64_t(uint32_t, uint32_t, uint32_t)>(
      [] __device__(uint32_t a, uint32_t b, uint32_t c) {
        uint32_t low, high;
        asm("mad.lo.cc.u32 %0, %2, %3, %4;\n\t"
            "madc.hi.u32 %1, %2, %3, %4;"
            : "=r"(low), "=r"(high)
            : "r"(a), "r"(b), "r"(c));
        return uint64_t(high) << 32 | low;
      }));
}

CASE(saturating_sums) {
  exact(map<int32_t(int32_t, int32_t)>([] __device__(int a, int b) {
    int sum, difference;
    asm("add.sat.s32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    asm("sub.sat.s32 %0, %1, %2;" : "=r"(difference) : "r"(a), "r"(b));
    return sum ^ (difference >> 1);
  }));
}
CASE(saturating_product) {
  exact(map<int32_t(int32_t, int32_t, int32_t)>([] __device__(int a, int b, int c) {
    int sum;
    asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
  }));
}
CASE(products_24_high) {
  exact(map<uint32_t(uint32_t, uint32_t, uint32_t)>(
      [] __device__(uint32_t a, uint32_t b, uint32_t c) {
        uint32_t high, low;
        asm("mul24.hi.u32 %0, %1, %2;" : "=r"(high) : "r"(a), "r"(b));
        asm("mad24.lo.s32 %0, %1, %2, %3;" : "=r"(low) : "r"(a), "r"(b), "r"(c));
        return high ^ low;
      }));
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
