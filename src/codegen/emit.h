// The LLVM side of the last two phases: optimisation and text.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

#include "base/result.h"

namespace egpu::codegen {

// Fails (our bug) where the module breaks a rule of LLVM IR: optimising it could then do anything.
Result<void> verify(const llvm::Module& module);

// The O3 pipeline.
void optimize(llvm::Module& module, llvm::TargetMachine& machine);

// In place of optimize(): puts the device runtime's functions where they are called, and leaves the
// rest as it is.
void inline_runtime(llvm::Module& module, llvm::TargetMachine& machine);

// PTX. Changes the module: code generation rewrites it on the way.
Result<std::string> emit_ptx(llvm::Module& module, llvm::TargetMachine& machine);

std::string print_ir(const llvm::Module& module);

}  // namespace egpu::codegen
