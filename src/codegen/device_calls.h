// Calls of the device runtime (src/device), whose functions are found by name in the module that is
// being made.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "bpf/instruction.h"
#include "codegen/platform.h"

namespace egpu::codegen {

Result<llvm::Value*> call_runtime(llvm::IRBuilder<>& builder, const std::string& name,
                                  std::span<llvm::Value* const> arguments);

// The operation on global memory at `address` (i64). Gives what Platform::atomic() gives.
Result<llvm::Value*> call_atomic(const Frame& frame, const bpf::Atomic& atomic,
                                 llvm::Value* address);

}  // namespace egpu::codegen
