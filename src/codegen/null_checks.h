// Null checks of map lookups, decided by why a lookup fails and not by the address it gives.
//
// A lookup is `select missing, 0, element address`; a program then compares the result with 0. LLVM
// cannot know that an element's address is never 0, so it would compute the address first and
// compare it too, in every warp, before the probe can go on. Here the comparison becomes `missing`,
// which needs no address.
#pragma once

#include <llvm/IR/PassManager.h>

namespace egpu::codegen {

struct FoldNullChecks : llvm::PassInfoMixin<FoldNullChecks> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming): LLVM's name
};

}  // namespace egpu::codegen
