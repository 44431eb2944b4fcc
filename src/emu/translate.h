// A function of a module to code (emu/code.h).
#pragma once

#include "base/result.h"
#include "emu/code.h"
#include "emu/function_builder.h"

namespace egpu::emu {

// Fails, naming instruction and line, where the executor does not know something. `function` has a
// body.
Result<void> translate(const KernelContext& context, const ptx::Function& function, Code& code);

}  // namespace egpu::emu
