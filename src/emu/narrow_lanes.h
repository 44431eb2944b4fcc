// Ops that round single precision to narrower formats.
#pragma once

#include "emu/arithmetic/convert.h"
#include "emu/builder.h"
#include "emu/op.h"

namespace egpu::emu {

// From lanes of .f32 to lanes of 16 bits, for formats of 16 bits and fewer. Slots are the caller's
// to fill in, Op::extra is taken.
Op narrow_op(Builder& builder, NarrowMode mode);
// To .tf32: lanes of 32 bits, with the number in the places it has in .f32.
Op narrow_to_tf32_op(Builder& builder, NarrowMode mode);

}  // namespace egpu::emu
