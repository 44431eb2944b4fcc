// .rz, .rm and .rp of operations that the host's own instructions carry out.
//
// The handler of the same operation in .rn runs with the host's rounding mode changed. It reads its
// sources from memory and writes its results there, behind a call the compiler cannot look through,
// so nothing of it is done in advance or afterwards. It must round once, by one host instruction.
#pragma once

#include "base/result.h"
#include "emu/arithmetic/float_format.h"
#include "emu/builder.h"
#include "emu/op.h"

namespace egpu::emu {

// An Op with the handler in the mode; operands are the caller's to fill in, Op::extra is taken.
// A null handler stays one.
Op with_rounding(Builder& builder, Handler handler, Rounding rounding);

// Takes .rn, .rz, .rm or .rp; kNearestEven where there is none.
Rounding take_rounding(Modifiers& modifiers);

}  // namespace egpu::emu
