// One checked eBPF program to one LLVM function for the GPU.
#pragma once

#include <llvm/IR/Function.h>

#include <string>

#include "base/result.h"
#include "codegen/gpu_platform.h"
#include "verifier/check.h"

namespace egpu::codegen {

// Adds void `name`(i32 kernel id, i32 site id) to the module. Instructions that the checker found
// unreachable leave no code.
Result<llvm::Function*> lower_program(const ModuleParts& parts,
                                      const verifier::CheckedProgram& program,
                                      const std::string& name);

}  // namespace egpu::codegen
