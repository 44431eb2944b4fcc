// Numbers that are addresses of the stack or of a constant, turned back into pointers.
//
// Registers hold addresses as numbers, so a key on the stack reaches a helper as
// inttoptr(ptrtoint(stack) + constant). LLVM does not look through that, and the stack would stay
// in memory. Once registers are values, a walk over the additions finds the stack again; once
// functions are inlined, also a caller's.
#pragma once

#include <llvm/IR/PassManager.h>

namespace egpu::codegen {

struct RestoreStackPointers : llvm::PassInfoMixin<RestoreStackPointers> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming): LLVM's name
};

}  // namespace egpu::codegen
