// ld.param and st.param: a kernel's parameters, and those of device functions, which lie in the
// frames of their callers and callees.
#pragma once

#include "emu/function_builder.h"

namespace egpu::emu {

// True for ld.param and st.param, with ::entry or ::func or without.
bool is_parameter_access(const ptx::Opcode& opcode);

Result<void> translate_parameter_access(FunctionBuilder& builder,
                                        const ptx::Instruction& instruction);

}  // namespace egpu::emu
