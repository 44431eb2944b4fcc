// Operations on bits and on the parts of a word.
#include "support/map.h"

using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

CASE(logic_32) {
  exact(map<uint32_t(uint32_t, uint32_t, uint32_t)>(
      [] __device__(uint32_t a, uint32_t b, uint32_t c) { return (a & ~b) ^ (b | c) ^ ~(a ^ c); }));
}
CASE(logic_64) {
  exact(map<uint64_t(uint64_t, uint64_t, uint64_t)>(
      [] __device__(uint64_t a, uint64_t b, uint64_t c) { return (a & ~b) ^ (b | c) ^ ~(a ^ c); }));
}
CASE(logic_16) {
  exact(map<uint16_t(uint16_t, uint16_t)>([] __device__(uint16_t a, uint16_t b) {
    uint16_t both, either, odd, none;
    asm("and.b16 %0, %1, %2;" : "=h"(both) : "h"(a), "h"(b));
    asm("or.b16 %0, %1, %2;" : "=h"(either) : "h"(a), "h"(b));
    asm("xor.b16 %0, %1, %2;" : "=h"(odd) : "h"(a), "h"(b));
    asm("not.b16 %0, %1;" : "=h"(none) : "h"(a));
    return uint16_t(both + 3 * either + 5 * odd + 7 * none);
  }));
}
CASE(logic_of_predicates) {
  exact(map<uint32_t(int32_t, int32_t)>([] __device__(int32_t a, int32_t b) {
    uint32_t result;
    asm("{ .reg .pred p, q, r, s;\n\t"
        "setp.lt.s32 p|q, %1, %2;\n\t"
        "setp.gt.and.s32 r|s, %1, 5, p;\n\t"
        "xor.pred p, p, r;\n\t"
        "or.pred q, q, s;\n\t"
        "not.pred s, q;\n\t"
        "and.pred r, r, !s;\n\t"
        "selp.u32 %0, 1, 2, p;\n\t"
        "@q add.u32 %0, %0, 4;\n\t"
        "@!r add.u32 %0, %0, 8; }"
        : "=r"(result)
        : "r"(a), "r"(b));
    return result;
  }));
}
CASE(any_function_of_three) {
  exact(map<uint32_t(uint32_t, uint32_t, uint32_t)>(
      [] __device__(uint32_t a, uint32_t b, uint32_t c) {
        uint32_t x, y, z;
        asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(x) : "r"(a), "r"(b), "r"(c));
        asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(y) : "r"(a), "r"(b), "r"(c));
        asm("lop3.b32 %0, %1, %2, %3, 0x1b;" : "=r"(z) : "r"(a), "r"(b), "r"(c));
        return x + 3 * y + 5 * z;
      }));
}

// Amounts beyond the width are defined in PTX alone.
CASE(shifts_32) {
  exact(map<uint32_t(int32_t, uint32_t)>([] __device__(int32_t a, uint32_t b) {
    uint32_t left, right, filled;
    asm("shl.b32 %0, %1, %2;" : "=r"(left) : "r"(a), "r"(b));
    asm("shr.u32 %0, %1, %2;" : "=r"(right) : "r"(a), "r"(b));
    asm("shr.s32 %0, %1, %2;" : "=r"(filled) : "r"(a), "r"(b));
    return left + 3 * right + 5 * filled;
  }));
}
CASE(shifts_64) {
  exact(map<uint64_t(int64_t, uint32_t)>([] __device__(int64_t a, uint32_t b) {
    uint64_t left, right, filled;
    asm("shl.b64 %0, %1, %2;" : "=l"(left) : "l"(a), "r"(b));
    asm("shr.u64 %0, %1, %2;" : "=l"(right) : "l"(a), "r"(b));
    asm("shr.s64 %0, %1, %2;" : "=l"(filled) : "l"(a), "r"(b & 127));
    return left + 3 * right + 5 * filled;
  }));
}
CASE(shifts_16) {
  exact(map<uint16_t(uint16_t, uint32_t)>([] __device__(uint16_t a, uint32_t b) {
    uint16_t left, right, filled;
    asm("shl.b16 %0, %1, %2;" : "=h"(left) : "h"(a), "r"(b));
    asm("shr.u16 %0, %1, %2;" : "=h"(right) : "h"(a), "r"(b & 31));
    asm("shr.s16 %0, %1, %2;" : "=h"(filled) : "h"(a), "r"(b));
    return uint16_t(left + 3 * right + 5 * filled);
  }));
}
CASE(funnel_shifts) {
  exact(map<uint32_t(uint32_t, uint32_t, uint32_t)>(
      [] __device__(uint32_t a, uint32_t b, uint32_t c) {
        return __funnelshift_l(a, b, c) + 3 * __funnelshift_r(a, b, c) +
               5 * __funnelshift_lc(a, b, c) + 7 * __funnelshift_rc(a, b, c);
      }));
}

CASE(counts_32) {
  exact(map<uint32_t(uint32_t)>([] __device__(uint32_t a) {
    return uint32_t(__clz(int(a)) + 64 * __popc(a) + 4096 * __ffs(int(a)));
  }));
}
CASE(counts_64) {
  exact(map<uint32_t(uint64_t)>([] __device__(uint64_t a) {
    return uint32_t(__clzll(int64_t(a)) + 128 * __popcll(a) + 16384 * __ffsll(a));
  }));
}
CASE(reverse_32) {
  exact(map<uint32_t(uint32_t)>([] __device__(uint32_t a) { return __brev(a); }));
}
CASE(reverse_64) {
  exact(map<uint64_t(uint64_t)>([] __device__(uint64_t a) { return uint64_t(__brevll(a)); }));
}
CASE(leading_bit) {
  exact(map<uint32_t(uint32_t, uint64_t)>([] __device__(uint32_t a, uint64_t b) {
    uint32_t of_u32, of_s32, of_u64, of_s64, amount;
    asm("bfind.u32 %0, %1;" : "=r"(of_u32) : "r"(a));
    asm("bfind.s32 %0, %1;" : "=r"(of_s32) : "r"(a));
    asm("bfind.u64 %0, %1;" : "=r"(of_u64) : "l"(b));
    asm("bfind.s64 %0, %1;" : "=r"(of_s64) : "l"(b));
    asm("bfind.shiftamt.s32 %0, %1;" : "=r"(amount) : "r"(a));
    return of_u32 + 3 * of_s32 + 5 * of_u64 + 7 * of_s64 + 11 * amount;
  }));
}
CASE(nth_set_bit) {
  exact(map<uint32_t(uint32_t, uint32_t, int32_t)>(
      [] __device__(uint32_t mask, uint32_t base, int32_t offset) {
        return __fns(mask, base % 32, offset % 34);
      }));
}

CASE(extract_bits_32) {
  exact(map<uint32_t(uint32_t, uint32_t, uint32_t)>(
      [] __device__(uint32_t a, uint32_t b, uint32_t c) {
        uint32_t plain, filled;
        asm("bfe.u32 %0, %1, %2, %3;" : "=r"(plain) : "r"(a), "r"(b), "r"(c));
        asm("bfe.s32 %0, %1, %2, %3;" : "=r"(filled) : "r"(a), "r"(b & 63), "r"(c & 63));
        return plain + 3 * filled;
      }));
}
CASE(extract_bits_64) {
  exact(map<uint64_t(uint64_t, uint32_t, uint32_t)>(
      [] __device__(uint64_t a, uint32_t b, uint32_t c) {
        uint64_t plain, filled;
        asm("bfe.u64 %0, %1, %2, %3;" : "=l"(plain) : "l"(a), "r"(b & 255), "r"(c & 255));
        asm("bfe.s64 %0, %1, %2, %3;" : "=l"(filled) : "l"(a), "r"(b & 127), "r"(c & 127));
        return plain + 3 * filled;
      }));
}
CASE(insert_bits) {
  exact(map<uint64_t(uint32_t, uint64_t, uint32_t)>(
      [] __device__(uint32_t a, uint64_t b, uint32_t c) {
        uint32_t narrow;
        uint64_t wide;
        asm("bfi.b32 %0, %1, %2, %3, %4;"
            : "=r"(narrow)
            : "r"(a), "r"(uint32_t(b)), "r"(c & 63), "r"(c >> 6 & 63));
        asm("bfi.b64 %0, %1, %2, %3, %4;"
            : "=l"(wide)
            : "l"(b), "l"(b * 0x9e3779b97f4a7c15), "r"(c & 127), "r"(c >> 7 & 127));
        return wide + narrow;
      }));
}
CASE(bit_masks) {
  exact(map<uint32_t(uint32_t, uint32_t)>([] __device__(uint32_t a, uint32_t b) {
    uint32_t clamped, wrapped;
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(clamped) : "r"(a), "r"(b));
    asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(wrapped) : "r"(a), "r"(b));
    return clamped + 3 * wrapped;
  }));
}
CASE(extend_bits) {
  exact(map<uint32_t(uint32_t, uint32_t)>([] __device__(uint32_t a, uint32_t b) {
    uint32_t clamped, wrapped, zeros;
    asm("szext.clamp.s32 %0, %1, %2;" : "=r"(clamped) : "r"(a), "r"(b));
    asm("szext.wrap.s32 %0, %1, %2;" : "=r"(wrapped) : "r"(a), "r"(b));
    asm("szext.clamp.u32 %0, %1, %2;" : "=r"(zeros) : "r"(a), "r"(b & 63));
    return clamped + 3 * wrapped + 5 * zeros;
  }));
}

CASE(choose_bytes) {
  exact(map<uint32_t(uint32_t, uint32_t, uint32_t)>(
      [] __device__(uint32_t a, uint32_t b, uint32_t c) {
        uint32_t with_signs;
        asm("prmt.b32 %0, %1, %2, %3;" : "=r"(with_signs) : "r"(a), "r"(b), "r"(c));
        return __byte_perm(a, b, c) + 3 * with_signs;
      }));
}
CASE(choose_bytes_by_mode) {
  exact(map<uint32_t(uint32_t, uint32_t, uint32_t)>(
      [] __device__(uint32_t a, uint32_t b, uint32_t c) {
        uint32_t f4e, b4e, rc8, ecl, ecr, rc16;
        asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(f4e) : "r"(a), "r"(b), "r"(c));
        asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(b4e) : "r"(a), "r"(b), "r"(c));
        asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(rc8) : "r"(a), "r"(b), "r"(c));
        asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(ecl) : "r"(a), "r"(b), "r"(c));
        asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(ecr) : "r"(a), "r"(b), "r"(c));
        asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(rc16) : "r"(a), "r"(b), "r"(c));
        return f4e + 3 * b4e + 5 * rc8 + 7 * ecl + 11 * ecr + 13 * rc16;
      }));
}

CASE(dot_products_of_bytes) {
  exact(map<int32_t(int32_t, uint32_t, int32_t)>([] __device__(int32_t a, uint32_t b, int32_t c) {
    int mixed;
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(mixed) : "r"(a), "r"(b), "r"(c));
    return __dp4a(a, int(b), c) ^ int(3 * __dp4a(uint32_t(a), b, uint32_t(c))) ^ mixed * 5;
  }));
}
CASE(dot_products_of_halves) {
  exact(map<int32_t(int32_t, uint32_t, int32_t)>([] __device__(int32_t a, uint32_t b, int32_t c) {
    return __dp2a_lo(a, int(b), c) ^ (3 * __dp2a_hi(a, int(b), c)) ^
           int(5 * __dp2a_lo(uint32_t(a), b, uint32_t(c)));
  }));
}
CASE(words_of_bytes) {
  exact(map<uint32_t(uint32_t, uint32_t)>([] __device__(uint32_t a, uint32_t b) {
    return __vadd4(a, b) + 3 * __vsubss4(a, b) + 5 * __vabsdiffu4(a, b) + 7 * __vmaxs4(a, b) +
           11 * __vcmpgtu4(a, b) + 13 * __vsadu4(a, b) + 17 * __vavgu4(a, b);
  }));
}
CASE(words_of_halves) {
  exact(map<uint32_t(uint32_t, uint32_t)>([] __device__(uint32_t a, uint32_t b) {
    return __vadd2(a, b) + 3 * __vaddus2(a, b) + 5 * __vabsdiffs2(a, b) + 7 * __vmins2(a, b) +
           11 * __vseteq2(a, b) + 13 * __vneg2(a) + 17 * __vhaddu2(a, b);
  }));
}
CASE(words_of_halves_clamped) {
  exact(map<uint32_t(uint32_t, uint32_t, uint32_t)>(
      [] __device__(uint32_t a, uint32_t b, uint32_t c) {
        return __viaddmax_s16x2(a, b, c) + 3 * __vimin3_u16x2(a, b, c) +
               5 * __vimax_s16x2_relu(a, b) + 7 * uint32_t(__vimax3_s32(int(a), int(b), int(c)));
      }));
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
