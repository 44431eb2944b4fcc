// The fields of `struct egpu_ctx` (abi/context.h): special registers and the probe's parameters.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "abi/context.h"

namespace egpu::codegen {

// What a probe function got from its call site or read at its entry: 32-bit numbers.
struct ProbeInputs {
  llvm::Value* kernel_id = nullptr;
  llvm::Value* site_id = nullptr;
  // Read once, at entry, since a read within a branch would name the lanes of that branch alone.
  // Null where the program does not use it.
  llvm::Value* active_mask = nullptr;
  llvm::Value* weight = nullptr;  // of a sample
};

// What a probe function hands down to the functions that it calls: each of its inputs, or 0 where
// there is none.
inline constexpr unsigned kInputCount = 4;
llvm::SmallVector<llvm::Value*, kInputCount> hand_down(const ProbeInputs& inputs);

// Emits the instruction for `inputs.active_mask`.
llvm::Value* read_active_mask(llvm::IRBuilder<>& builder);

// The field's value, a 32-bit number.
llvm::Value* context_value(llvm::IRBuilder<>& builder, abi::ContextField field,
                           const ProbeInputs& inputs);

}  // namespace egpu::codegen
