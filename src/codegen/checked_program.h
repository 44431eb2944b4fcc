// The functions of a checked program to LLVM functions, the same on the GPU and on the host.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <cstddef>
#include <string>

#include "base/result.h"
#include "codegen/calls.h"
#include "verifier/check.h"

namespace egpu::codegen {

// The checker's facts fit the program.
Result<void> check_shape(const verifier::CheckedProgram& program);

// Adds the functions that the program can reach, but the first, to `module`, without code and
// called `prefix`_INDEX: i64(i64 r1, ..., i64 r5, i32...) with as many numbers after r5 as are
// handed down.
FunctionTable declare_functions(llvm::Module& module, const verifier::CheckedProgram& program,
                                const std::string& prefix, unsigned handed_down);

// Gives the function at `index` of Program::functions its code, at the builder's place: the entry
// block of an LLVM function. `arguments` are r1 and on.
Result<void> lower_function(const verifier::CheckedProgram& program, std::size_t index,
                            const Platform& platform, llvm::IRBuilder<>& builder,
                            llvm::ArrayRef<llvm::Value*> arguments);

// r1 to r5 of a function that declare_functions() declared.
llvm::SmallVector<llvm::Value*, 5> arguments_of(llvm::Function& function);

}  // namespace egpu::codegen
