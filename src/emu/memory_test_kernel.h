// For tests of memory: the text of a kernel around the few instructions under test.
#pragma once

#include <string>
#include <string_view>

#include "emu/test_kernel.h"

namespace egpu::emu {

// A kernel k(in, out): %in and %out are the two addresses, %t is the thread's number in the grid
// and %id that in the block (both 32 bits; blocks are one-dimensional). Of each kind of register
// there are twenty: %p, %h (16 bits), %r, %d (64 bits), %f, %g (f64), %q (128 bits).
inline std::string around(std::string_view body, std::string_view variables = {}) {
  std::string text(variables);
  text += R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
    .reg .pred %p<20>;
    .reg .b16 %h<20>;
    .reg .b32 %r<20>, %t, %id;
    .reg .b64 %d<20>, %in, %out;
    .reg .f32 %f<20>;
    .reg .f64 %g<20>;
    .reg .b128 %q<20>;
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    mov.u32 %id, %tid.x;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mad.lo.u32 %t, %r0, %r1, %id;
)";
  text += body;
  text += "\n    ret;\n}\n";
  return text;
}

}  // namespace egpu::emu
