#include "codegen/stack_pointers.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace egpu::codegen {
namespace {

// base + offset as a `type`, where base is the pointer that `number` was made from; null where
// there is none.
llvm::Value* pointer_behind(llvm::IRBuilder<>& builder, llvm::Value* number, llvm::Type* type) {
  using namespace llvm::PatternMatch;
  std::uint64_t offset = 0;
  const llvm::APInt* constant = nullptr;
  llvm::Value* rest = nullptr;  // bound even where the second operand does not match
  while (match(number, m_Add(m_Value(rest), m_APInt(constant)))) {
    number = rest;
    offset += constant->getZExtValue();
  }
  llvm::Value* base = nullptr;
  if (!match(number, m_PtrToInt(m_Value(base)))) return nullptr;
  return builder.CreateAddrSpaceCast(builder.CreatePtrAdd(base, builder.getInt64(offset)), type);
}

}  // namespace

llvm::PreservedAnalyses RestoreStackPointers::run(llvm::Function& function,
                                                  llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* cast = llvm::dyn_cast<llvm::IntToPtrInst>(&instruction);
    if (cast == nullptr) continue;
    llvm::IRBuilder<> builder(cast);
    llvm::Value* pointer = pointer_behind(builder, cast->getOperand(0), cast->getType());
    if (pointer == nullptr) continue;
    cast->replaceAllUsesWith(pointer);
    cast->eraseFromParent();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace egpu::codegen
