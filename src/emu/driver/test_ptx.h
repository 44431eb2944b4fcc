// PTX for tests of the driver.
#pragma once

#include <string>

namespace egpu::emu::driver {

inline constexpr char kPtxHeader[] = ".version 8.7\n.target sm_90\n.address_size 64\n";

// Each thread i < count of one block-linear grid adds `value` to the i-th word.
inline constexpr char kAdd[] = R"(
.visible .entry add(.param .u64 words, .param .u32 value, .param .u32 count) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .reg .pred %p;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [count];
  setp.ge.u32 %p, %r4, %r5;
  @%p ret;
  ld.param.u64 %rd1, [words];
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.param.u32 %r6, [value];
  ld.global.u32 %r7, [%rd3];
  add.s32 %r7, %r7, %r6;
  st.global.u32 [%rd3], %r7;
  ret;
}
)";

// Doubles a word.
inline constexpr char kDouble[] = R"(
.visible .entry twice(.param .u64 word) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [word];
  ld.global.u32 %r1, [%rd1];
  shl.b32 %r1, %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

// Ends when somebody, the host or another kernel, writes the word.
inline constexpr char kSpin[] = R"(
.visible .entry spin(.param .u64 word) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  .reg .pred %p;
  ld.param.u64 %rd1, [word];
again:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.eq.u32 %p, %r1, 0;
  @%p bra again;
  ret;
}
)";

inline std::string with_header(const std::string& text) { return kPtxHeader + text; }

}  // namespace egpu::emu::driver
