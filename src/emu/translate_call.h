// call: of a function of the module, through a pointer, or of one the machine provides.
#pragma once

#include "emu/function_builder.h"

namespace egpu::emu {

Result<void> translate_call(FunctionBuilder& builder, const ptx::Instruction& instruction);

}  // namespace egpu::emu
