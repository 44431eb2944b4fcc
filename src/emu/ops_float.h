// Floating-point forms of opcodes that integers have too.
#pragma once

#include "base/result.h"
#include "emu/builder.h"

namespace egpu::emu {

Result<void> translate_float_add(Builder& builder, const ptx::Instruction& instruction);
Result<void> translate_float_sub(Builder& builder, const ptx::Instruction& instruction);
Result<void> translate_float_mul(Builder& builder, const ptx::Instruction& instruction);
// fma, and mad, which is the same.
Result<void> translate_float_fma(Builder& builder, const ptx::Instruction& instruction);
Result<void> translate_float_div(Builder& builder, const ptx::Instruction& instruction);
Result<void> translate_float_abs(Builder& builder, const ptx::Instruction& instruction);
Result<void> translate_float_neg(Builder& builder, const ptx::Instruction& instruction);
// min and max.
Result<void> translate_float_extreme(Builder& builder, const ptx::Instruction& instruction,
                                     bool greatest);

}  // namespace egpu::emu
