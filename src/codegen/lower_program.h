// One checked eBPF program to LLVM functions for the GPU.
#pragma once

#include <llvm/IR/Function.h>

#include <string>

#include "base/result.h"
#include "codegen/gpu_platform.h"
#include "verifier/check.h"

namespace egpu::codegen {

struct ProgramNames {
  std::string probe;
  std::string functions;     // NAME_1, NAME_2, ... for the functions that the program calls
  std::uint32_t number = 0;  // of the program in its module
};

// Adds the probe, void(i32 kernel id, i32 site id), and the functions that it calls to the module.
// Instructions that the checker found unreachable leave no code.
//
// Whether a function is called or becomes part of its callers is LLVM's decision, by its rule for
// NVPTX: where calls cost much, it inlines nearly everything that is called once or is short, and
// leaves what is long and called from several places. What it leaves are .func's in PTX.
Result<llvm::Function*> lower_program(const ModuleParts& parts,
                                      const verifier::CheckedProgram& program,
                                      const ProgramNames& names);

}  // namespace egpu::codegen
