// cvt between forms that are no single number of a common type.
#pragma once

#include "base/result.h"
#include "emu/builder.h"

namespace egpu::emu {

// Pairs in one register, .tf32, and .pack.
bool is_packed_conversion(const ptx::Opcode& opcode);
Result<void> translate_packed_conversion(Builder& builder, const ptx::Instruction& instruction);

}  // namespace egpu::emu
