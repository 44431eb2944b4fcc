#include "codegen/null_checks.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

namespace egpu::codegen {
namespace {

bool is_element_address(const llvm::Value* value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
  return callee != nullptr && callee->getName().ends_with("_element");
}

// The condition under which `value`, the result of a lookup, is null; null for any other value.
llvm::Value* missing_condition(llvm::Value* value) {
  using namespace llvm::PatternMatch;
  llvm::Value* missing = nullptr;
  llvm::Value* address = nullptr;
  if (match(value, m_Select(m_Value(missing), m_ZeroInt(), m_Value(address))) &&
      is_element_address(address))
    return missing;
  return nullptr;
}

}  // namespace

llvm::PreservedAnalyses FoldNullChecks::run(llvm::Function& function,
                                            llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    if (compare == nullptr || !compare->isEquality() ||
        !llvm::PatternMatch::match(compare->getOperand(1), llvm::PatternMatch::m_ZeroInt()))
      continue;
    llvm::Value* missing = missing_condition(compare->getOperand(0));
    if (missing == nullptr) continue;
    if (compare->getPredicate() == llvm::ICmpInst::ICMP_NE)
      missing = llvm::IRBuilder<>(compare).CreateNot(missing);
    compare->replaceAllUsesWith(missing);
    compare->eraseFromParent();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace egpu::codegen
